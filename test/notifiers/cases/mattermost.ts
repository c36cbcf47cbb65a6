import { expect } from "vitest";
import { answer, answerJson, type Behaviour, type Captured } from "../../world/hostile-server.ts";
import { readHtmlText } from "../../world/html-text.ts";
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

/** The bot's channel; the server does not reveal that others exist. */
const channel = "town4square4town4square4ab";
const maxMessageCodePoints = 16_383;

/**
 * Makes an API error in its original words.
 * https://github.com/mattermost/mattermost/blob/master/server/channels/api4/post.go
 */
const fault = (status_code: number, id: string): Behaviour =>
  answerJson(status_code, { id, message: `May I run the tests? ${canary}`, status_code });
const forbidden = fault(403, "api.context.permissions.app_error");

/** Starts a server with one bot and one channel. Post ids are never reused. */
export async function startMattermostServer(): Promise<ChangeWorld> {
  const posts = new Map<string, string>();
  const closed = new Set<string>();
  let count = 0;
  const post = (id: string, status: number, message: string): Behaviour => {
    if ([...message].length > maxMessageCodePoints) return fault(400, "model.post.is_valid.message_length.app_error");
    posts.set(id, message);
    return answerJson(status, { id, channel_id: channel, message });
  };
  const create = (payload: { readonly channel_id?: string; readonly message: string }): Behaviour => {
    if (payload.channel_id !== channel) return forbidden;
    count += 1;
    return post(String(count).padStart(26, "p"), 201, payload.message);
  };
  const patch = (id: string, payload: { readonly message: string }): Behaviour => {
    if (!posts.has(id)) return forbidden; // it does not reveal that the channel is missing
    if (closed.has(id)) return fault(400, "api.post.update_post.permissions_time_limit.app_error");
    return post(id, 200, payload.message);
  };
  const refusal = fault(401, "api.context.session_expired.app_error");
  const reply = ({ method, path, body, headers }: Captured): Behaviour => {
    if (headers.authorization !== `Bearer ${canary}`) return refusal;
    if (method === "POST" && path === "/api/v4/posts") return create(JSON.parse(body));
    const [, id] = /^\/api\/v4\/posts\/(\w{26})\/patch$/.exec(path) ?? [];
    return method === "PUT" && id !== undefined ? patch(id, JSON.parse(body)) : fault(404, "api.context.404.app_error");
  };
  const server = await startRuledServer({ reply, refusal, clear: () => posts.clear() });
  return {
    ...server,
    settings: { server: server.origin, token: canary, channel },
    listActive: async () => [...posts.values()].map(readMattermost),
    endEdits: () => [...posts.keys()].forEach((id) => void closed.add(id)),
  };
}

/** Reads a post as a person would see it: a bold first line is the title, and an unbroken `@` is a mention. */
export function readMattermost(text: string): Reading {
  const shown = readHtmlText(text.replace(/^\*\*(.*)\*\*/, "$1"));
  return readLines(shown.replace(/@(?!\u200b)/g, "[mention]").replaceAll("@\u200b", "@"));
}

const post = "p".repeat(26);
const reference = /&(?:#\d+|\w+);/g;

/** Removes the references and the title's own bold from a text. */
const bare = (text: string): string => text.replace(/^\*\*(.*)\*\*/, "$1").replace(reference, "x");

const valid = (text: string): void => {
  expect([...text].length).toBeLessThanOrEqual(16_383);
  expect(bare(text)).not.toMatch(/[\\<>&`*_~[\]#|$]|@(?!\u200b)|^( {4}|\t)|^ *([-+=]|\d{1,9}[.)])/m);
  expect(bare(text)).not.toMatch(/:(?!\/\/)|(?<!https?):/);
};
const mentions = [
  "<!channel> <!here> <@U012AB3CD> <https://evil.example|click> @channel @all @here @user @\u200b ~town-square #tag",
  ":wave: | a | b |\n|---|---|\n    code\n\tcode\n- l\n+ l\n1. n\n2) n\na\n===\nb\n--- $x$ &lt;",
  "https://example.org/a_b?c=d&e=%20 https://evil/%zz www.evil.example/%zz javascript://x",
];
const tooMany: readonly [string, Behaviour, Expected] = [
  "too many, with the seconds to wait",
  answer(429, { "x-ratelimit-reset": "3" }, "limit exceeded"),
  limited(3_000),
];

const webhookCase: NotifierCase = {
  variant: "through a webhook",
  settings: (origin) => ({ url: `${origin}/hooks/${canary}` }),
  success: answer(200, { "content-type": "text/plain" }, "ok"),
  rejections: [
    ["a deleted webhook", fault(400, "web.incoming_webhook.invalid.app_error"), "auth"],
    ["a refused text", fault(400, "web.incoming_webhook.text.app_error"), "rejected"],
    ["a locked channel", fault(403, "web.incoming_webhook.channel_locked.app_error"), "auth"],
    tooMany,
    ["another answer", answerJson(200, {}), "unavailable"],
  ],
  read: ({ body }) => readMattermost(JSON.parse(body).text),
  valid: ({ body }) => valid(JSON.parse(body).text),
  mentions,
};

const settings = (server: string) => ({ server, token: canary, channel });

const botCase: NotifierCase = {
  variant: "as a bot",
  settings,
  success: answerJson(201, { id: post }),
  rejections: [
    ["an invalid token", fault(401, "api.context.session_expired.app_error"), hinted],
    ["a foreign channel", fault(403, "api.context.permissions.app_error"), hinted],
    ["a long text", fault(400, "model.post.is_valid.message_length.app_error"), "rejected"],
    tooMany,
    ["another answer", answerJson(200, {}), "unavailable"],
  ],
  read: ({ body }) => readMattermost(JSON.parse(body).message),
  valid({ body, headers, path }) {
    const { channel_id, message } = JSON.parse(body);
    expect([path, headers["authorization"]]).toEqual(["/api/v4/posts", `Bearer ${canary}`]);
    expect(channel_id).toBe(channel);
    valid(message);
  },
  mentions,
};

export const httpCases = [webhookCase, botCase];

export const changeCase: Cases["changeCase"] = {
  editsEnd: true,
  start: startMattermostServer,
  withdrawn: "done",
  refusal: "auth",
  foreign: [{}, { post: "x/../../users/me" }, { post: 5 }, { id: post }],
  otherVariant: { settings: { url: "https://h.example/hooks/x" }, receipt: { post } },
};

const says = (status: number, id: string) => [`${status}, ${id}`, fault(status, id)] as const;
export const replyCase: Cases["replyCase"] = {
  settings,
  receipt: { post },
  final: [
    says(400, "api.post.update_post.permissions_time_limit.app_error"),
    says(400, "api.post.update_post.permissions_details.app_error"),
    says(400, "api.post.patch_post.can_not_update_post_in_deleted.error"),
    says(403, "api.context.permissions.app_error"),
    says(404, "app.post.get.app_error"),
    says(404, "store.sql_post.get.app_error"),
  ],
  failures: [
    [...says(401, "api.context.session_expired.app_error"), "auth"],
    [...says(403, "api.context.mfa_required.app_error"), "auth"],
    [...says(404, "api.context.404.app_error"), "auth"],
    [...says(400, "model.post.is_valid.message_length.app_error"), "rejected"],
    [...says(500, "app.post.update.app_error"), "unavailable"],
  ],
};

export const probeCase: Cases["probeCase"] = {
  settings,
  asks: { method: "GET", path: "/api/v4/users/me" },
  success: answerJson(200, { id: post, username: "beckon" }),
};
