import { expect, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import { pushover } from "../../src/notifiers/pushover.ts";
import { answer } from "../world/hostile-server.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { describeReactions } from "./contract/describe-reactions.ts";
import { canary } from "./contract/notifier-case.ts";
import { readPushover, startPushoverServer } from "./pushover-server.ts";

const json = { "content-type": "application/json" };
const inAnHour = String(Date.parse("2026-11-20T13:00:00Z") / 1000);

const settings = (server: string) => ({ server, token: canary, user: `${canary}2` });

describeHttpNotifier(pushover, {
  settings,
  success: answer(200, { ...json, "x-limit-app-reset": inAnHour }, '{"status":1,"request":"647d2300"}'),
  rejections: [
    ["a wrong token", answer(400, json, '{"token":"invalid","errors":["x"],"status":0}'), { reason: "auth" }],
    ["a wrong user", answer(400, json, '{"user":"invalid","errors":["x"],"status":0}'), { reason: "auth" }],
    ["a refusal within a success", answer(200, json, '{"status":0}'), { reason: "rejected" }],
    [
      "the month's quota",
      answer(429, { ...json, "x-limit-app-reset": inAnHour }, '{"status":0}'),
      { reason: "rate-limited", waitMs: 3_600_000 },
    ],
    [
      "too fast, with messages left this month",
      answer(429, { "x-limit-app-reset": inAnHour, "x-limit-app-remaining": "9000" }, ""),
      { reason: "rate-limited", waitMs: 5_000 },
    ],
    [
      "a fault with the quota's headers",
      answer(500, { "x-limit-app-reset": inAnHour }, ""),
      { reason: "unavailable", waitMs: 5_000 },
    ],
  ],
  read: ({ body }) => readPushover(JSON.parse(body)),
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

const payloadOf = (kind: string, more: object) => {
  const settings = pushover.settings.parse({ token: "t", user: "u", ...more });
  const message = { title: "a", body: "b", kind } as Message;
  return JSON.parse(pushover.request({ settings, message, isFallback: false, nowMs: 0 }).body ?? "");
};

test.each([
  ["needs-you", { priority: 2, retry: 60, expire: 3_600 }],
  ["finished", { priority: 0 }],
  ["info", { priority: -1 }],
] as const)("with `emergency` on, %s has %j", (kind, expected) => {
  expect(payloadOf(kind, { emergency: true })).toMatchObject(expected);
});

test("a message disappears after `ttl`, but not one that is repeated, for which Pushover takes none", () => {
  expect(payloadOf("needs-you", { ttl: "2h" })).toMatchObject({ priority: 1, ttl: 7_200 });
  expect(payloadOf("finished", { ttl: "1500ms" })).toMatchObject({ ttl: 2 });
  expect(payloadOf("needs-you", { ttl: "2h", emergency: true })).not.toHaveProperty("ttl");
  expect(payloadOf("needs-you", {})).not.toHaveProperty("ttl");
});

test("a message that is not repeated has no receipt: nothing of it can be changed", () => {
  const parts = { settings: pushover.settings.parse({ token: "t", user: "u" }), message: {} as Message };
  const receiptOf = (reply: object) =>
    pushover.receipt?.(
      { status: 200, headers: {}, body: JSON.stringify(reply) },
      { ...parts, isFallback: false, nowMs: 0 },
    );
  expect(receiptOf({ status: 1, request: "r" })).toBeUndefined();
  expect(receiptOf({ status: 1, receipt: "a/../b" })).toBeUndefined();
  expect(receiptOf({ status: 1, receipt: "rLqVuqTRh62UzxtmqiaLzQmVcPgiCy" })).toEqual({
    receipt: "rLqVuqTRh62UzxtmqiaLzQmVcPgiCy",
  });
});

describeProbe(pushover, {
  settings,
  asks: { method: "POST", path: "/1/users/validate.json" },
  success: answer(200, json, '{"status":1,"devices":["phone"]}'),
});
