import { answerJson, type Behaviour, type Captured } from "../world/hostile-server.ts";
import { readHtmlText } from "../world/html-text.ts";
import type { ChangeWorld } from "./contract/describe-changes.ts";
import { canary, type Reading, readLines } from "./contract/notifier-case.ts";
import { startRuledServer } from "./contract/ruled-server.ts";

/** The bot's channel; the server does not reveal that others exist. */
const channel = "town4square4town4square4ab";
const maxMessageCodePoints = 16_383;

/** A Mattermost server with an edit time limit that can expire. */
export interface MattermostServer extends ChangeWorld {
  /** Ends the edit time of all posts. */
  endEdits(): void;
}

/**
 * Makes an API error in its original words.
 * https://github.com/mattermost/mattermost/blob/master/server/channels/api4/post.go
 */
const fault = (status_code: number, id: string): Behaviour =>
  answerJson(status_code, { id, message: "No.", status_code });
const forbidden = fault(403, "api.context.permissions.app_error");

/** Starts a server with one bot and one channel. Post ids are never reused. */
export async function startMattermostServer(): Promise<MattermostServer> {
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
