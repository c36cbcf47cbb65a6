import { expect, test } from "vitest";
import type { Kind } from "../../src/core/vocabulary.ts";
import { pushover } from "../../src/notifiers/pushover.ts";
import { answer, answerJson } from "../world/hostile-server.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { describeReactions } from "./contract/describe-reactions.ts";
import { makePayload, readReceipt } from "./contract/make-request.ts";
import { canary, readTitled } from "./contract/notifier-case.ts";
import { startPushoverServer } from "./pushover-server.ts";

const reset = { "x-limit-app-reset": String(Date.parse("2026-11-20T13:00:00Z") / 1000) };

const settings = (server: string) => ({ server, token: canary, user: `${canary}2` });

describeHttpNotifier(pushover, {
  settings,
  success: answerJson(200, { status: 1, request: "647d2300" }, reset),
  rejections: [
    ["a wrong token", answerJson(400, { token: "invalid", errors: ["x"], status: 0 }), "auth"],
    ["a wrong user", answerJson(400, { user: "invalid", errors: ["x"], status: 0 }), "auth"],
    ["a refusal within a success", answerJson(200, { status: 0 }), "rejected"],
    ["the month's quota", answerJson(429, { status: 0 }, reset), { reason: "rate-limited", waitMs: 3_600_000 }],
    [
      "too fast, with messages left this month",
      answer(429, { ...reset, "x-limit-app-remaining": "9000" }, ""),
      { reason: "rate-limited", waitMs: 5_000 },
    ],
    ["a fault with the quota's headers", answer(500, reset, ""), { reason: "unavailable", waitMs: 5_000 }],
  ],
  read: ({ body }) => readTitled(JSON.parse(body)),
  valid({ body, path }) {
    expect(path).toBe("/1/messages.json");
    const { title = "", message, html, priority } = JSON.parse(body);
    expect([...title].length).toBeLessThanOrEqual(250);
    expect([...message].length).toBeLessThanOrEqual(1_024);
    expect(message).not.toBe("");
    expect([html, priority]).toEqual([undefined, 1]);
  },
  mentions: ["<b>bold</b> <a href='https://evil.example'>x</a>"],
});

describeChanges(pushover, { start: startPushoverServer, withdrawn: "nothing", refusal: "rate-limited" });

describeReactions(pushover, {
  start: startPushoverServer,
  refusal: "rate-limited",
  foreign: [{}, { receipt: 1 }, { receipt: "" }, { receipt: "../messages" }, { receipt: "r?token=x" }],
  off: { emergency: false },
});

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

describeProbe(pushover, {
  settings,
  asks: { method: "POST", path: "/1/users/validate.json" },
  success: answerJson(200, { status: 1, devices: ["phone"] }),
});
