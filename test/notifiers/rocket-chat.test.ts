import { describe, expect, onTestFinished, test } from "vitest";
import type { Receipt } from "../../src/core/notifier-call.ts";
import { createPorts } from "../../src/io/ports.ts";
import { rocketChat } from "../../src/notifiers/rocket-chat.ts";
import { answer, type Behaviour, type Captured, silence, startHostileServer } from "../world/hostile-server.ts";
import { localCall } from "../world/local-call.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { canary, type Expected } from "./contract/notifier-case.ts";
import { readRocketChat, startRocketChatServer } from "./rocket-chat-server.ts";

interface Payload {
  readonly text: string;
  readonly attachments: readonly { readonly text: string; readonly mrkdwn_in: readonly string[] }[];
  readonly parseUrls: boolean;
}

const json = { "content-type": "application/json" };
const fault = (
  status: number,
  error: string,
  { headers = {}, errorType }: { headers?: object; errorType?: string } = {},
) => answer(status, { ...json, ...headers }, JSON.stringify({ success: false, error, errorType }));
const resetAt = String(Date.parse("2026-11-20T12:00:00Z") + 25_000);
const limited: readonly [string, Behaviour, Expected] = [
  "too many, with the time of the next",
  fault(429, "error-too-many-requests", { headers: { "x-ratelimit-reset": resetAt } }),
  { reason: "rate-limited", waitMs: 25_000 },
];
const validText = (text: string): void => {
  expect(text).not.toMatch(/[@#<>[\]:|$](?!\u200b)|(?<!\\)[*~`]|^[^\u200b]/m);
};
const mentions = [
  "@all @here @user @\u200b #general [x](https://e) <https://e|x> ||s|| :smile: \\* \\\u200b_\n> q\n- l",
];

describe("through a webhook", () => {
  describeHttpNotifier(rocketChat, {
    settings: (origin) => ({ url: `${origin}/hooks/${canary}/${canary}` }),
    success: answer(200, json, '{"success":true}'),
    rejections: [
      ["a text that is too long", fault(400, "error-message-size-exceeded"), { reason: "rejected" }],
      ["no success, in a success", fault(200, `May I run the tests? ${canary}`), { reason: "rejected" }],
      ["too many, as an error of ours", fault(400, "error-too-many-requests"), { reason: "rate-limited" }],
      limited,
      ["an integration that is switched off", fault(503, "Service Unavailable"), { reason: "unavailable" }],
    ],
    read({ body }) {
      const { text, attachments } = JSON.parse(body) as Payload;
      const { title, body: rest } = readRocketChat(text);
      return { title, body: attachments[0]?.text ?? rest };
    },
    valid({ body }) {
      const { text, attachments, parseUrls } = JSON.parse(body) as Payload;
      expect(text.length + (attachments[0]?.text.length ?? 0)).toBeLessThanOrEqual(5_000);
      expect(parseUrls).toBe(false);
      validText(text);
      for (const attachment of attachments) expect(attachment.mrkdwn_in).toEqual([]);
    },
    mentions,
  });

  test("there is nothing to probe, and nothing can be changed", async () => {
    const settings = rocketChat.settings.parse({ url: "https://h.example/hooks/x" });
    expect(rocketChat.canProbe?.(settings)).toBe(false);
    const call = localCall(settings, {}); // whose HTTP port refuses
    await rocketChat.probe?.(call);
    await rocketChat.update?.({ ...call, receipt: { room: "r", message: "m" } });
  });
});

describe("as a bot", () => {
  const settings = (server: string) => ({ server, token: canary, userId: "u1", channel: "#agents" });

  describeHttpNotifier(rocketChat, {
    settings,
    success: answer(200, json, '{"success":true,"message":{"_id":"m1","rid":"r1"}}'),
    rejections: [
      ["a token that is none", answer(401, json, '{"status":"error"}'), { reason: "auth", hinted: true }],
      [
        "a channel that is none",
        fault(400, "No [invalid-channel]", { errorType: "invalid-channel" }),
        { reason: "auth", hinted: true },
      ],
      ["a channel of others", fault(400, "error-not-allowed"), { reason: "auth", hinted: true }],
      [
        "a text that is too long",
        fault(400, "x", { errorType: "error-message-size-exceeded" }),
        { reason: "rejected" },
      ],
      [
        "too many, as words",
        fault(400, "Slow down.", { errorType: "error-too-many-requests" }),
        { reason: "rate-limited" },
      ],
      limited,
    ],
    read: ({ body }) => readRocketChat(JSON.parse(body).text),
    valid({ body, headers, path }) {
      const { channel, text, ...others } = JSON.parse(body);
      expect([path, channel, others]).toEqual(["/api/v1/chat.postMessage", "#agents", {}]);
      expect([headers["x-auth-token"], headers["x-user-id"]]).toEqual([canary, "u1"]);
      expect(text.length).toBeLessThanOrEqual(5_000);
      validText(text);
    },
    mentions,
  });

  describeChanges(rocketChat, { start: startRocketChatServer, withdrawn: "done", refusal: "auth" });

  describeProbe(rocketChat, {
    settings,
    asks: { method: "GET", path: "/api/v1/me" },
    success: answer(200, json, '{"success":true,"_id":"u1"}'),
  });

  /** Updates a message at a server that answers so, and returns what it was asked. */
  async function update(receipt: Receipt, reply: Behaviour): Promise<readonly Captured[]> {
    const server = await startHostileServer({ "*": reply });
    onTestFinished(() => server.close());
    const call = { ...localCall(rocketChat.settings.parse(settings(server.origin)), {}), ports: createPorts() };
    await rocketChat.update?.({ ...call, receipt });
    return server.requests;
  }
  const receipt = { room: "r1", message: "m1" };

  test.each([
    ['No message found with the id of "m1".', undefined],
    ["The room id provided does not match where the message is from.", undefined],
    ["Message editing is blocked [error-message-editing-blocked]", "error-message-editing-blocked"],
    ["Message editing not allowed [error-action-not-allowed]", undefined],
  ])("a message stays as it is where the server says: %s", async (error, errorType) => {
    const reply = fault(400, error, errorType === undefined ? {} : { errorType });
    await expect(update(receipt, reply)).resolves.toHaveLength(1);
  });

  test.each([
    [fault(400, "Too long [error-message-size-exceeded]"), "rejected"],
    [answer(400, {}, "No message found with the id"), "rejected"],
    [answer(401, json, '{"status":"error"}'), "auth"],
    [answer(404, {}, "no"), "auth"],
  ])("anything else is a failure", async (reply, reason) => {
    await expect(update(receipt, reply)).rejects.toMatchObject({ reason });
  });

  test.each([{}, { room: "r1" }, { room: 1, message: 2 }, { message: "m1" }])(
    "a message with a receipt of another form, %j, is let alone",
    async (other) => {
      expect(await update(other as Receipt, silence)).toEqual([]);
    },
  );

  test("once the time for edits is over, a message stays as it is, and that is no failure", async () => {
    const server = await startRocketChatServer();
    onTestFinished(() => server.close());
    const call = { ...localCall(rocketChat.settings.parse(server.settings), {}), ports: createPorts() };
    const sent = await rocketChat.send(call);
    server.endEdits();
    const message = { ...call.message, body: "later" };
    await rocketChat.withdraw?.({ ...call, message, receipt: sent ?? expect.fail("no receipt") });
    expect(await server.standing()).toMatchObject([{ body: call.message.body }]);
  });
});
