import { expect, test } from "vitest";
import { bark } from "../../src/notifiers/bark.ts";
import { answerJson } from "../world/hostile-server.ts";
import { localCall } from "../world/local-call.ts";
import { readBark, says, startBarkServer } from "./bark-server.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { makePayload, readReceipt } from "./contract/make-request.ts";
import { canary } from "./contract/notifier-case.ts";

const settings = (server: string) => ({ server, deviceKey: canary });

/** Builds the server's push for Apple, as Go encodes it: bark-server's apns.go and encoding/json. */
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
  success: answerJson(200, { code: 200, message: "success", timestamp: 1 }),
  rejections: [
    [
      "an unknown key",
      says(400, `failed to get device token: failed to get [${canary}] device token from database`),
      "auth",
    ],
    ["a device unknown to Apple", says(500, "push failed: APNS push failed: BadDeviceToken"), "auth"],
    ["a device that is gone", says(500, "push failed: APNS push failed: Unregistered"), "auth"],
    ["Apple out of reach", says(500, "push failed: Post: dial tcp: i/o timeout"), "unavailable"],
    ["invalid JSON", says(400, `request bind failed: ${canary}`), "rejected"],
    ["an error within a success", answerJson(200, { code: 400, message: canary }), "rejected"],
    ["a fault within a success", answerJson(200, { code: 500, message: canary }), "unavailable"],
    ["a code that is a sentence", answerJson(200, { code: `no ${canary}` }), "unavailable"],
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

describeChanges(bark, {
  start: startBarkServer,
  withdrawn: "nothing",
  refusal: "unavailable",
  foreign: [{}, { id: 5 }, { id: "" }, { id: "A&x=1" }],
});

test("a message has an id, and a receipt if it can be deleted; a test message has neither", () => {
  const idAndReceipt = (whenResolved: string, more: object = { thread: { key: "a".repeat(32) } }) => {
    const changes = { message: { project: "shop" }, ...more };
    const settings = { deviceKey: "k", whenResolved };
    return [makePayload(bark, settings, changes).id, readReceipt(bark, settings, undefined, changes)];
  };
  const id = expect.stringMatching(/^a{32}-\w+$/);
  expect(idAndReceipt("delete")).toEqual([id, { id }]);
  expect(idAndReceipt("keep")).toEqual([id, undefined]);
  expect(idAndReceipt("delete", {})).toEqual([undefined, undefined]);
});

test("a message that is to stay is left alone", async () => {
  const call = localCall(bark.settings.parse({ deviceKey: "k", whenResolved: "keep" }), {}); // its HTTP port refuses
  await bark.withdraw?.({ ...call, receipt: { id: "a-1" } });
});

describeProbe(bark, {
  settings,
  asks: { method: "GET", path: "/ping" },
  success: answerJson(200, { code: 200, message: "pong", timestamp: 1 }),
  addressOnly: true,
});

test("messages are grouped by project name, cut between graphemes if it is long", () => {
  const makeGroup = (project: string) => makePayload(bark, { deviceKey: "k" }, { message: { project } }).group;
  expect(makeGroup("shop")).toBe("shop");
  expect(makeGroup("👩‍👩‍👧‍👦".repeat(9))).toBe(`${"👩‍👩‍👧‍👦".repeat(3)}…`);
  expect(makeGroup("<".repeat(99))).toBe(`${"<".repeat(16)}…`);
});
