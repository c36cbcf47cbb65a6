import { expect, test } from "vitest";
import type { Kind } from "../../src/core/vocabulary.ts";
import { pushover } from "../../src/notifiers/pushover.ts";
import { makePayload, readReceipt } from "./contract/make-request.ts";

const login = { token: "t", user: "u" };

test("the emergency of a test message ends after a minute, that of a session after an hour", () => {
  const make = (parts: object) =>
    makePayload(pushover, { ...login, emergency: true }, { message: { kind: "needs-you" }, ...parts }).expire;
  expect([make({}), make({ thread: { key: "a".repeat(32) } })]).toEqual([60, 3_600]);
});

test("with `emergency` on, only messages that need the user are repeated", () => {
  const thread = { key: "a".repeat(32) };
  const make = (kind: Kind) => makePayload(pushover, { ...login, emergency: true }, { message: { kind }, thread });
  expect(make("needs-you")).toMatchObject({ priority: 2, retry: 60, expire: 3_600 });
  expect(make("finished")).toMatchObject({ priority: 0 });
  expect(make("info")).toMatchObject({ priority: -1 });
});

test("a message expires after `ttl` unless it is repeated, as Pushover forbids both", () => {
  const make = (kind: Kind, settings: object) =>
    makePayload(pushover, { ...login, ...settings }, { message: { kind } });
  expect(make("needs-you", { ttl: "2h" })).toMatchObject({ priority: 1, ttl: 7_200 });
  expect(make("finished", { ttl: "1500ms" })).toMatchObject({ ttl: 2 });
  expect(make("needs-you", { ttl: "2h", emergency: true })).not.toHaveProperty("ttl");
  expect(make("needs-you", {})).not.toHaveProperty("ttl");
});

test("a message that is not repeated has no receipt and cannot be changed", () => {
  const receipt = "rLqVuqTRh62UzxtmqiaLzQmVcPgiCy";
  expect(readReceipt(pushover, login, { status: 1, request: "r" })).toBeUndefined();
  expect(readReceipt(pushover, login, { status: 1, receipt: "a/../b" })).toBeUndefined();
  expect(readReceipt(pushover, login, { status: 1, receipt })).toEqual({ receipt });
});
