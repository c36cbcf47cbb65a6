import { expect, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import { bark } from "../../src/notifiers/bark.ts";
import { answer } from "../helpers/hostile-server.ts";
import { describeHttpNotifier } from "../helpers/notifier-contract/describe-http-notifier.ts";
import { describeProbe } from "../helpers/notifier-contract/describe-probe.ts";
import { canary } from "../helpers/notifier-contract/notifier-case.ts";

const json = { "content-type": "application/json" };
const settings = (server: string) => ({ server, deviceKey: canary });
const says = (status: number, message: string) => answer(status, json, JSON.stringify({ code: status, message }));

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
  read({ body }) {
    const { title, body: text } = JSON.parse(body);
    return title === undefined ? { title: text, body: "" } : { title, body: text };
  },
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
