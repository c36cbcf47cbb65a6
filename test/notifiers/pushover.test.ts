import { expect, test } from "vitest";
import type { Kind } from "../../src/core/vocabulary.ts";
import { pushover } from "../../src/notifiers/pushover.ts";
import { makePayload, readReceipt } from "./contract/make-request.ts";

const login = { token: "t", user: "u" };

test("with `emergency` on, messages that need the user are repeated for an hour, a test message for a minute", () => {
  const make = (kind: Kind, thread?: { key: string }) =>
    makePayload(pushover, { ...login, emergency: true }, { message: { kind }, ...(thread && { thread }) });
  const thread = { key: "a".repeat(32) };
  expect(make("needs-you", thread)).toMatchObject({ priority: 2, retry: 60, expire: 3_600 });
  expect(make("needs-you")).toMatchObject({ priority: 2, retry: 60, expire: 60 });
  expect(make("finished", thread)).toMatchObject({ priority: 0 });
  expect(make("info", thread)).toMatchObject({ priority: -1 });
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
