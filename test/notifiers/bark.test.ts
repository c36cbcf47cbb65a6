import { expect, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import type { Receipt } from "../../src/core/notifier-call.ts";
import { bark } from "../../src/notifiers/bark.ts";
import { answer } from "../world/hostile-server.ts";
import { localCall } from "../world/local-call.ts";
import { readBark, says, startBarkServer } from "./bark-server.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { canary } from "./contract/notifier-case.ts";

const json = { "content-type": "application/json" };
const settings = (server: string) => ({ server, deviceKey: canary });

/** What the server makes of a push for Apple, as Go writes it: bark-server's apns.go and encoding/json. */
function applePayload({ title = "", body = "", level, group }: Readonly<Record<string, string>>): string {
  const sound = { category: "myNotificationCategory", sound: "1107.caf", "mutable-content": 1 };
  const aps = { alert: { title, body }, "interruption-level": "time-sensitive", "thread-id": group, ...sound };
  return JSON.stringify({ aps, group, level }).replace(
    /[<>&]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  );
}

describeHttpNotifier(bark, {
  settings,
  success: answer(200, json, '{"code":200,"message":"success","timestamp":1}'),
  rejections: [
    [
      "an unknown key",
      says(400, `failed to get device token: failed to get [${canary}] device token from database`),
      { reason: "auth" },
    ],
    [
      "a device that Apple does not know",
      says(500, "push failed: APNS push failed: BadDeviceToken"),
      { reason: "auth" },
    ],
    ["a device that is gone", says(500, "push failed: APNS push failed: Unregistered"), { reason: "auth" }],
    ["Apple out of reach", says(500, "push failed: Post: dial tcp: i/o timeout"), { reason: "unavailable" }],
    ["no JSON", says(400, `request bind failed: ${canary}`), { reason: "rejected" }],
    ["an error within a success", answer(200, json, `{"code":400,"message":"${canary}"}`), { reason: "rejected" }],
    ["a fault within a success", answer(200, json, `{"code":500,"message":"${canary}"}`), { reason: "unavailable" }],
    ["a code that is a sentence", answer(200, json, `{"code":"no ${canary}"}`), { reason: "unavailable" }],
  ],
  read: ({ body }) => readBark(JSON.parse(body)),
  valid({ body, path }) {
    expect(path).toBe("/push");
    const { device_key, ...push } = JSON.parse(body);
    expect(device_key).toBe(canary);
    expect(push).toMatchObject({ level: "timeSensitive", group: "shop" });
    expect(push.body).not.toBe("");
    expect(Buffer.byteLength(applePayload(push))).toBeLessThanOrEqual(4_096 - 2 * 100);
  },
  mentions: ['","url":"https://evil.example","body":"'],
});

describeChanges(bark, { start: startBarkServer, withdrawn: "nothing", refusal: "unavailable" });

test("a message has an id of its own where it is to be deleted, and none where it is to stay, nor a test message", () => {
  const idAt = (nowMs: number, whenResolved?: string, more: object = { thread: { key: "a".repeat(32) } }) => {
    const parsed = bark.settings.parse({ deviceKey: "k", whenResolved });
    const message = { title: "t", body: "b", kind: "info", project: "shop" } as Message;
    const parts = { settings: parsed, message, isFallback: false, nowMs, ...more };
    const { id } = JSON.parse(bark.request(parts).body ?? "");
    expect(bark.receipt?.({ status: 200, headers: {}, body: "" }, parts)).toEqual(id === undefined ? id : { id });
    return id;
  };
  expect(idAt(1_000, "delete")).toMatch(/^a{32}-\w+$/);
  expect(idAt(1_001, "delete")).not.toBe(idAt(1_000, "delete"));
  expect([idAt(1_000), idAt(1_000, "delete", {})]).toEqual([undefined, undefined]);
});

test.each([
  [{}, "delete"],
  [{ id: 5 }, "delete"],
  [{ id: "" }, "delete"],
  [{ id: "A&x=1" }, "delete"],
  [{ id: "a-1" }, "keep"],
])("a receipt like %j is no request where the settings say %s", async (receipt, whenResolved) => {
  const call = localCall(bark.settings.parse({ deviceKey: "k", whenResolved }), {}); // its HTTP port refuses
  await bark.withdraw?.({ ...call, receipt: receipt as Receipt });
});

describeProbe(bark, {
  settings,
  asks: { method: "GET", path: "/ping" },
  success: answer(200, json, '{"code":200,"message":"pong","timestamp":1}'),
  addressOnly: true,
});

test("messages are grouped by the project's name, cut between graphemes if it is long", () => {
  const groupOf = (project: string) => {
    const message = { title: "t", body: "b", kind: "info", project } as Message;
    const request = bark.request({
      settings: bark.settings.parse({ deviceKey: "k" }),
      message,
      isFallback: false,
      nowMs: 0,
    });
    return JSON.parse(request.body ?? "").group;
  };
  expect(groupOf("shop")).toBe("shop");
  expect(groupOf("👩‍👩‍👧‍👦".repeat(9))).toBe(`${"👩‍👩‍👧‍👦".repeat(3)}…`);
  expect(groupOf("<".repeat(99))).toBe(`${"<".repeat(16)}…`);
});
