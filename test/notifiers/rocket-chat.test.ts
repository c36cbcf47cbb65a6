import { describe, expect, onTestFinished, test } from "vitest";
import { createPorts } from "../../src/io/ports.ts";
import { rocketChat } from "../../src/notifiers/rocket-chat.ts";
import { FakeClock } from "../world/fake-clock.ts";
import { answer, answerJson, type Behaviour } from "../world/hostile-server.ts";
import { localCall } from "../world/local-call.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { describeReplies } from "./contract/describe-replies.ts";
import { canary, type Expected } from "./contract/notifier-case.ts";
import { readRocketChat, startRocketChatServer } from "./rocket-chat-server.ts";

interface Payload {
  readonly text: string;
  readonly attachments: readonly { readonly text: string; readonly mrkdwn_in: readonly string[] }[];
  readonly parseUrls: boolean;
}

const fault = (status: number, error: string, errorType?: string, headers = {}) =>
  answerJson(status, { success: false, error, errorType }, headers);
const resetAt = String(Date.parse("2026-11-20T12:00:00Z") + 25_000);
const limited: readonly [string, Behaviour, Expected] = [
  "too many, with the time of the next",
  fault(429, "error-too-many-requests", undefined, { "x-ratelimit-reset": resetAt }),
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
    success: answerJson(200, { success: true }),
    rejections: [
      ["a long text", fault(400, "error-message-size-exceeded"), "rejected"],
      ["no success, in a success", fault(200, `May I run the tests? ${canary}`), "rejected"],
      ["too many, as an error of ours", fault(400, "error-too-many-requests"), "rate-limited"],
      limited,
      ["a disabled integration", fault(503, "Service Unavailable"), "unavailable"],
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
});

describe("as a bot", () => {
  const settings = (server: string) => ({ server, token: canary, userId: "u1", channel: "#agents" });

  describeHttpNotifier(rocketChat, {
    settings,
    success: answerJson(200, { success: true, message: { _id: "m1", rid: "r1" } }),
    rejections: [
      ["an invalid token", answerJson(401, { status: "error" }), { reason: "auth", hinted: true }],
      ["an unknown channel", fault(400, "No [invalid-channel]", "invalid-channel"), { reason: "auth", hinted: true }],
      ["a foreign channel", fault(400, "error-not-allowed"), { reason: "auth", hinted: true }],
      ["a long text", fault(400, "x", "error-message-size-exceeded"), "rejected"],
      ["too many, as text", fault(400, "Slow down.", "error-too-many-requests"), "rate-limited"],
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

  const receipt = { room: "r1", message: "m1" };
  describeChanges(rocketChat, {
    start: startRocketChatServer,
    withdrawn: "done",
    refusal: "auth",
    foreign: [{}, { room: "r1" }, { room: 1, message: 2 }, { message: "m1" }],
    otherVariant: { settings: { url: "https://h.example/hooks/x" }, receipt },
  });

  const says = (error: string, errorType?: string) => [error, fault(400, error, errorType)] as const;
  describeReplies(rocketChat, {
    settings,
    receipt,
    final: [
      says('No message found with the id of "m1".'),
      says("The room id provided does not match where the message is from."),
      says("Message editing is blocked [error-message-editing-blocked]", "error-message-editing-blocked"),
      says("Message editing not allowed [error-action-not-allowed]"),
    ],
    failures: [
      [...says("Too long [error-message-size-exceeded]"), "rejected"],
      ["invalid JSON", answer(400, {}, "No message found with the id"), "rejected"],
      ["401", answerJson(401, { status: "error" }), "auth"],
      ["404", answer(404, {}, "no"), "auth"],
    ],
  });

  describeProbe(rocketChat, {
    settings,
    asks: { method: "GET", path: "/api/v1/me" },
    success: answerJson(200, { success: true, _id: "u1" }),
  });

  test("after the time limit for edits a message stays unchanged, which is not a failure", async () => {
    const server = await startRocketChatServer();
    onTestFinished(() => server.close());
    const call = {
      ...localCall(rocketChat.settings.parse(server.settings), {}),
      ports: { ...createPorts(), clock: new FakeClock() },
    };
    const sent = await rocketChat.send(call);
    server.endEdits();
    const message = { ...call.message, body: "later" };
    await rocketChat.withdraw?.({ ...call, message, receipt: sent ?? expect.fail("no receipt") });
    expect(await server.listActive()).toMatchObject([{ body: call.message.body }]);
  });
});
