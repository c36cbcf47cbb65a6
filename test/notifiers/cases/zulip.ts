import { expect } from "vitest";
import { answerJson, type Behaviour, type Captured } from "../../world/hostile-server.ts";
import { type Cases, type ChangeWorld, canary, limited, type Reading } from "../contract/notifier-case.ts";
import { startRuledServer } from "../contract/ruled-server.ts";

const email = "bot@example.com";
const maxContentCodePoints = 10_000;

/** A Zulip server with reactions and an edit time limit that can expire. */
export interface ZulipServer extends ChangeWorld {
  /** Names of the reactions to all visible messages. */
  reactions(): readonly string[];
  /** Ends the edit time of all messages. */
  endEdits(): void;
}

interface Post {
  content: string;
  canBeEdited: boolean;
  readonly reactions: string[];
}

/** Makes an API error; most errors differ only in their text. https://zulip.com/api/rest-error-handling */
const fault = (msg: string, code = "BAD_REQUEST", status = 400): Behaviour =>
  answerJson(status, { result: "error", msg, code });
const success = (more = {}): Behaviour => answerJson(200, { result: "success", msg: "", ...more });

/** Starts a server with one bot, one channel and the default rules for edits. Message ids are never reused. */
export async function startZulipServer(): Promise<ZulipServer> {
  const posts = new Map<number, Post>();
  let lastId = 0;
  const send = (content: string): Behaviour => {
    lastId += 1;
    posts.set(lastId, { content, canBeEdited: true, reactions: [] });
    return success({ id: lastId });
  };
  const react = (post: Post, name: string): Behaviour => {
    if (post.reactions.includes(name)) return fault("Reaction already exists.", "REACTION_ALREADY_EXISTS");
    post.reactions.push(name);
    return success();
  };
  const edit = (post: Post, content: string): Behaviour => {
    if (!post.canBeEdited) return fault("The time limit for editing this message has passed");
    post.content = content;
    return success();
  };
  const change = (path: string, content: string, emoji: string | null): Behaviour => {
    const [, id, verb] = /^\/api\/v1\/messages\/(\d+)(\/reactions)?$/.exec(path) ?? [];
    const post = posts.get(Number(id));
    if (!post) return fault("Invalid message(s)");
    return verb === undefined ? edit(post, content) : react(post, emoji ?? "");
  };
  const authorization = `Basic ${Buffer.from(`${email}:${canary}`).toString("base64")}`;
  const refusal = fault("Invalid API key", "INVALID_API_KEY", 401);
  const reply = ({ method, path, body, headers }: Captured): Behaviour => {
    if (headers.authorization !== authorization) return refusal;
    if (headers["content-type"] !== "application/x-www-form-urlencoded") return fault("Missing content");
    const form = new URLSearchParams(body);
    const content = form.get("content") ?? "";
    if ([...content].length > maxContentCodePoints) return fault("Message too long");
    if (method === "POST" && path === "/api/v1/messages") return send(content);
    return change(path, content, form.get("emoji_name"));
  };
  const server = await startRuledServer({ reply, refusal, clear: () => posts.clear() });
  return {
    ...server,
    settings: { server: server.origin, email, apiKey: canary, channel: "agents" },
    listActive: async () => [...posts.values()].map(({ content }) => readZulip(content)),
    reactions: () => [...posts.values()].flatMap(({ reactions }) => reactions),
    endEdits() {
      for (const post of posts.values()) post.canBeEdited = false;
    },
  };
}

/**
 * Reads the text within Zulip's code spans and fences by its server's rules. A fence is a line of three backticks or
 * more and at most a word, and ends with the first line of exactly the same length; within a line, a span is enclosed
 * by two equally long runs of backticks. Fails at any text outside.
 * https://github.com/zulip/zulip/blob/main/zerver/lib/markdown/fenced_code.py
 */
export function readZulip(content: string): Reading {
  const [first = "", ...lines] = content.split("\n");
  expect(first).not.toMatch(/^`{3,} *\w* *[^~`]*$/); // a fence already
  const [span, , title = ""] = /^(`+)(.+?)(?<!`)\1(?!`)/.exec(first) ?? [];
  expect(span, "the span ends with the line").toBe(first);
  if (lines.length === 0) return { title: title.trim(), body: "" };
  const [, fence] = /^(`{3,})text$/.exec(lines[0] ?? "") ?? [];
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === fence);
  expect(end, "the fence ends with the message").toBe(lines.length - 1);
  return { title: title.trim(), body: lines.slice(1, end).join("\n") };
}

export const settings = (server: string) => ({
  server,
  email: "bot@example.com",
  apiKey: canary,
  channel: "agents & co",
});

export const httpCase: Cases["httpCase"] = {
  settings,
  success: answerJson(200, { result: "success", msg: "", id: 42 }),
  rejections: [
    ["too fast", answerJson(429, { result: "error", code: "RATE_LIMIT_HIT", "retry-after": 28.7 }), limited(28_700)],
    ["a wrong key", answerJson(401, { result: "error", code: "UNAUTHORIZED" }), "auth"],
    ["no such channel", answerJson(400, { result: "error", code: "STREAM_DOES_NOT_EXIST" }), "auth"],
    ["a disabled bot", answerJson(403, { result: "error", code: "USER_DEACTIVATED" }), "auth"],
    ["no such topic", answerJson(400, { result: "error", code: "BAD_REQUEST" }), "rejected"],
    ["an error within a success", answerJson(200, { result: "error", code: "BAD_REQUEST" }), "rejected"],
  ],
  read: ({ body }) => readZulip(new URLSearchParams(body).get("content") ?? ""),
  valid({ body, headers, path }) {
    expect(path).toBe("/api/v1/messages");
    expect(headers["authorization"]).toBe(`Basic ${Buffer.from(`bot@example.com:${canary}`).toString("base64")}`);
    expect(headers["content-type"]).toBe("application/x-www-form-urlencoded");
    const form = new URLSearchParams(body);
    expect([...form.keys()]).toEqual(["type", "to", "topic", "content"]);
    expect(form.get("to")).toBe("agents & co");
    expect([...(form.get("content") ?? "")].length).toBeLessThanOrEqual(10_000);
  },
  mentions: ["@**all** @_**King Hamlet** #**general** /poll x", "```\n@**all**\n```` `` ```quote"],
};

export const changeCase: Cases["changeCase"] = { start: startZulipServer, withdrawn: "done", refusal: "auth" };

export const probeCase: Cases["probeCase"] = {
  asks: { method: "GET", path: "/api/v1/users/me" },
  success: answerJson(200, { result: "success", msg: "", user_id: 7 }),
};
