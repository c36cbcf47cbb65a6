import { expect } from "vitest";
import { answer, answerJson, type Behaviour, type Captured } from "../../world/hostile-server.ts";
import { type Cases, type ChangeWorld, canary, limited, type Reading } from "../contract/notifier-case.ts";
import { startRuledServer } from "../contract/ruled-server.ts";

const webhook = `/api/webhooks/1/${canary}`;
const channel = "42";
const maxContentChars = 2_000;

interface Payload {
  readonly content: string;
  readonly allowed_mentions?: { readonly parse: readonly string[] };
}

interface Stored extends Payload {
  readonly id: string;
  readonly channel_id: string;
}

const fault = (status: number, code: number): Behaviour => answerJson(status, { message: "in Discord's words", code });

/**
 * Starts a Discord server with one channel webhook and the thread 77. Ids are never reused, and a message in a thread
 * needs the thread's id. https://docs.discord.com/developers/resources/webhook#edit-webhook-message
 */
export async function startDiscordServer(
  settingsFor: (url: string) => object = (url) => ({ url }),
): Promise<ChangeWorld> {
  const messages = new Map<string, Stored>();
  let lastId = 1_000;
  const nextId = (): string => String(++lastId);
  const put = (message: Stored): Behaviour => {
    messages.set(message.id, message);
    return answerJson(200, message);
  };
  const post = (query: URLSearchParams, payload: Payload): Behaviour => {
    const thread = query.has("thread_name") ? nextId() : query.get("thread_id");
    if (query.get("thread_name") === null && thread !== null && thread !== "77") return fault(404, 10_003);
    const behave = put({ ...payload, id: nextId(), channel_id: thread ?? channel });
    return query.get("wait") === "true" ? behave : answer(204);
  };
  const patch = (id: string, query: URLSearchParams, payload: Payload): Behaviour => {
    const channel_id = query.get("thread_id") ?? channel;
    if (messages.get(id)?.channel_id !== channel_id) return fault(404, 10_008);
    // An edit without allowed mentions parses all of them, whatever the message had.
    return put({ ...payload, id, channel_id });
  };
  const reply = ({ method, path, body }: Captured): Behaviour => {
    const { pathname, searchParams } = new URL(path, "http://localhost");
    const [, id] = pathname.match(/\/messages\/(\d+)$/) ?? [];
    if (pathname.replace(/\/messages\/\d+$/, "") !== webhook) return fault(404, 10_015);
    const payload = JSON.parse(body) as Payload;
    if (payload.content === "") return fault(400, 50_006);
    if (payload.content.length > maxContentChars) return fault(400, 50_035);
    if (method === "PATCH" && id !== undefined) return patch(id, searchParams, payload);
    return method === "POST" && id === undefined ? post(searchParams, payload) : fault(405, 0);
  };
  // The webhook was deleted: the 404 differs from a deleted message's only by its code.
  const refusal = fault(404, 10_015);
  const server = await startRuledServer({ reply, refusal, clear: () => messages.clear() });
  return {
    ...server,
    settings: settingsFor(`${server.origin}${webhook}`),
    listActive: async () => [...messages.values()].map(readDiscord),
  };
}

/** Reads a message as a person would see it: the bold part, or the first line, is the title. */
export function readDiscord({ content, allowed_mentions }: Payload): Reading {
  const [first = "", ...lines] = content.replace(/^\*\*((?:\\.|[^\\])*?)\*\*/s, "$1").split("\n");
  const mentioning = allowed_mentions?.parse.length === 0 ? /(?!)/ : /@/g;
  const decode = (text: string) => text.replace(mentioning, "[mention]").replace(/\\([^0-9A-Za-z\s])/g, "$1");
  return { title: decode(first), body: decode(lines.join("\n")) };
}

export const settings = (origin: string) => ({ url: `${origin}/api/webhooks/1/${canary}` });

export const httpCase: Cases["httpCase"] = {
  settings,
  success: answerJson(200, { id: "1", type: 0 }),
  rejections: [
    ["a wait in the body, with a fraction", answerJson(429, { retry_after: 2.5 }), limited(2_500)],
    ["a wait in Discord's own header", answer(429, { "x-ratelimit-reset-after": "9" }, "{}"), limited(9_000)],
    ["a message that was not saved", answer(204), "unavailable"],
    ["an unknown webhook", answerJson(404, { message: "Unknown Webhook", code: 10015 }), "auth"],
  ],
  read: ({ body }) => readDiscord(JSON.parse(body)),
  valid({ body, path }) {
    const payload = JSON.parse(body);
    expect(payload.content.length).toBeLessThanOrEqual(2_000);
    expect(payload.content).not.toBe("");
    expect(payload.allowed_mentions).toEqual({ parse: [] });
    const rest = payload.content.replace(/(?<!\w)https?:\/\/[\w.~%/?=&+#:@,;!$'"^…-]+/g, "").replace(/\\./gs, "");
    expect(rest.replaceAll("**", "")).not.toMatch(/[`*_~>|#<[\]]/);
    expect(new URLSearchParams(path.replace(/.*\?/, "")).get("wait")).toBe("true");
  },
  mentions: ["@everyone @here <@123> <@&456> <#789> <:a:1> ||spoiler|| [x](https://e) -# small"],
};

export const changeCase: Cases["changeCase"] = {
  start: () => startDiscordServer(),
  withdrawn: "done",
  refusal: "auth",
  foreign: [{}, { messageId: 5 }, { messageId: "../5" }, { messageId: "5", threadId: "a" }],
};

const says = (status: number, code: number) => [`${status}, ${code}`, fault(status, code)] as const;

export const replyCase: Cases["replyCase"] = {
  settings,
  receipt: { messageId: "5" },
  final: [says(404, 10_008), says(404, 10_003), says(400, 50_083)],
  failures: [
    [...says(404, 10_015), "auth"],
    [...says(401, 50_027), "auth"],
    [...says(400, 50_035), "rejected"],
    [...says(429, 0), "rate-limited"],
  ],
};

export const probeCase: Cases["probeCase"] = {
  asks: { method: "GET", path: `/api/webhooks/1/${canary}` },
  success: answerJson(200, { id: "1", type: 1, token: "x" }),
};
