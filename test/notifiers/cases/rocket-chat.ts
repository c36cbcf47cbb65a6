import { expect } from "vitest";
import { answer, answerJson, type Behaviour, type Captured } from "../../world/hostile-server.ts";
import {
  type Cases,
  type ChangeWorld,
  canary,
  type Expected,
  hinted,
  limited,
  type NotifierCase,
  type Reading,
  readLines,
} from "../contract/notifier-case.ts";
import { startRuledServer } from "../contract/ruled-server.ts";

const room = "GENERAL";
const userId = "aobEdbYhXfu5hkeqG";
const maxTextChars = 5_000;

/** Makes an API error. Its text ends with its type, which older servers name nowhere else. */
const apiFault = (words: string, errorType?: string): Behaviour => {
  const error = errorType === undefined ? words : `${words} [${errorType}]`;
  return answerJson(400, { success: false, error, errorType });
};
const notLoggedIn = answerJson(401, { status: "error", message: "You must be logged in to do this." });

/**
 * Starts a server with one bot and one channel. Message ids are random and never reused.
 * https://github.com/RocketChat/Rocket.Chat/blob/develop/apps/meteor/app/api/server/v1/chat.ts
 */
export async function startRocketChatServer(): Promise<ChangeWorld> {
  const messages = new Map<string, string>();
  const closed = new Set<string>();
  let count = 0;
  const keep = (id: string, text: string): Behaviour => {
    if (text.length > maxTextChars) return apiFault("Message size exceeds", "error-message-size-exceeded");
    messages.set(id, text);
    return answerJson(200, { success: true, message: { _id: id, rid: room, msg: text } });
  };
  const postMessage = ({ channel, text, ...others }: Readonly<Record<string, string>>): Behaviour => {
    if (Object.keys(others).length > 0) return apiFault("must NOT have additional properties", "invalid-params");
    if (channel !== "#general") return apiFault("The channel name provided does not match", "invalid-channel");
    count += 1;
    return keep(`m${count}`, text ?? "");
  };
  const update = ({ roomId, msgId = "", text, ...others }: Readonly<Record<string, string>>): Behaviour => {
    if (Object.keys(others).length > 0) return apiFault("must NOT have additional properties", "invalid-params");
    if (!messages.has(msgId)) return apiFault(`No message found with the id of "${msgId}".`);
    if (roomId !== room) return apiFault("The room id provided does not match where the message is from.");
    if (closed.has(msgId)) return apiFault("Message editing is blocked", "error-message-editing-blocked");
    return keep(msgId, text ?? "");
  };
  const reply = ({ path, body, headers }: Captured): Behaviour => {
    if (headers["x-auth-token"] !== canary || headers["x-user-id"] !== userId) return notLoggedIn;
    if (path === "/api/v1/chat.postMessage") return postMessage(JSON.parse(body));
    return path === "/api/v1/chat.update" ? update(JSON.parse(body)) : answer(404);
  };
  const server = await startRuledServer({ reply, refusal: notLoggedIn, clear: () => messages.clear() });
  return {
    ...server,
    settings: { server: server.origin, token: canary, userId, channel: "#general" },
    listActive: async () => [...messages.values()].map(readRocketChat),
    endEdits: () => [...messages.keys()].forEach((id) => void closed.add(id)),
  };
}

/** Reads a text as a person would see it, without invisible characters and escaping backslashes. */
export function readRocketChat(text: string): Reading {
  const shown = (line: string): string =>
    line
      .slice(1)
      .replace(/@(?!\u200b)/g, "[mention]")
      .replace(/\\([*~`])/g, "$1")
      .replace(/([^\w\s])\u200b|_\u200b/g, (pair) => pair.slice(0, -1));
  return readLines(text.split("\n").map(shown).join("\n"));
}

interface Payload {
  readonly text: string;
  readonly attachments: readonly { readonly text: string; readonly mrkdwn_in: readonly string[] }[];
  readonly parseUrls: boolean;
}

const fault = (status: number, error: string, errorType?: string, headers = {}) =>
  answerJson(status, { success: false, error, errorType }, headers);
const resetAt = String(Date.parse("2026-11-20T12:00:00Z") + 25_000);
const tooMany: readonly [string, Behaviour, Expected] = [
  "too many, with the time of the next",
  fault(429, "error-too-many-requests", undefined, { "x-ratelimit-reset": resetAt }),
  limited(25_000),
];
const validText = (text: string): void => {
  expect(text).not.toMatch(/[@#<>[\]:|$](?!\u200b)|(?<!\\)[*~`]|^[^\u200b]/m);
};
const mentions = [
  "@all @here @user @\u200b #general [x](https://e) <https://e|x> ||s|| :smile: \\* \\\u200b_\n> q\n- l",
];

const webhookCase: NotifierCase = {
  variant: "through a webhook",
  settings: (origin) => ({ url: `${origin}/hooks/${canary}/${canary}` }),
  success: answerJson(200, { success: true }),
  rejections: [
    ["a long text", fault(400, "error-message-size-exceeded"), "rejected"],
    ["no success, in a success", fault(200, `May I run the tests? ${canary}`), "rejected"],
    ["too many, as an error of ours", fault(400, "error-too-many-requests"), "rate-limited"],
    tooMany,
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
};

const settings = (server: string) => ({ server, token: canary, userId: "u1", channel: "#agents" });

const botCase: NotifierCase = {
  variant: "as a bot",
  settings,
  success: answerJson(200, { success: true, message: { _id: "m1", rid: "r1" } }),
  rejections: [
    ["an invalid token", answerJson(401, { status: "error" }), hinted],
    ["an unknown channel", fault(400, "No [invalid-channel]", "invalid-channel"), hinted],
    ["a foreign channel", fault(400, "error-not-allowed"), hinted],
    ["a long text", fault(400, "x", "error-message-size-exceeded"), "rejected"],
    ["too many, as text", fault(400, "Slow down.", "error-too-many-requests"), "rate-limited"],
    tooMany,
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
};

export const httpCases = [webhookCase, botCase];

const receipt = { room: "r1", message: "m1" };
export const changeCase: Cases["changeCase"] = {
  editsEnd: true,
  start: startRocketChatServer,
  withdrawn: "done",
  refusal: "auth",
  foreign: [{}, { room: "r1" }, { room: 1, message: 2 }, { message: "m1" }],
  otherVariant: { settings: { url: "https://h.example/hooks/x" }, receipt },
};

const says = (error: string, errorType?: string) => [error, fault(400, error, errorType)] as const;
export const replyCase: Cases["replyCase"] = {
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
};

export const probeCase: Cases["probeCase"] = {
  settings,
  asks: { method: "GET", path: "/api/v1/me" },
  success: answerJson(200, { success: true, _id: "u1" }),
};
