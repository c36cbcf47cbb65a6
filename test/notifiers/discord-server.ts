import { answer, answerJson, type Behaviour, type Captured } from "../world/hostile-server.ts";
import type { ChangeWorld } from "./contract/describe-changes.ts";
import { canary, type Reading } from "./contract/notifier-case.ts";
import { startRuledServer } from "./contract/ruled-server.ts";

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
