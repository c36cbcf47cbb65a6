import { answer, answerJson, type Behaviour, type Captured } from "../world/hostile-server.ts";
import type { ChangeWorld } from "./contract/describe-changes.ts";
import { canary, type Reading, readLines } from "./contract/notifier-case.ts";
import { startRuledServer } from "./contract/ruled-server.ts";

const token = `xoxb-${canary}`;
const channel = { id: "C0AGENTS1", name: "#agents" };

interface Block {
  readonly type: string;
  readonly text: { readonly type: string; readonly text: string };
}

/** Text of a Slack message, from a request or the workspace. */
export interface SlackContent {
  readonly text: string;
  readonly blocks?: readonly Block[];
}

interface Payload extends SlackContent {
  readonly channel: string;
  readonly ts?: string;
  readonly parse?: string;
}

/** Makes a refusal of Slack, which has the status 200. */
const fault = (error: string): Behaviour => answerJson(200, { ok: false, error });

/** Starts a Slack workspace with one bot in one channel. https://docs.slack.dev/reference/methods/chat.update */
export async function startSlackServer(): Promise<ChangeWorld> {
  const messages = new Map<string, SlackContent>();
  let count = 0;
  const put = (ts: string, content: SlackContent): Behaviour => {
    messages.set(ts, content);
    return answerJson(200, { ok: true, channel: channel.id, ts, message: content });
  };
  const postMessage = (payload: Payload): Behaviour => {
    if (payload.channel !== channel.id && payload.channel !== channel.name) return fault("channel_not_found");
    count += 1;
    return put(`1700000000.${String(count).padStart(6, "0")}`, payload);
  };
  const update = ({ channel: place, ts = "", parse = "client", ...payload }: Payload): Behaviour => {
    if (place !== channel.id) return fault("channel_not_found"); // a channel name does not count here
    const old = messages.get(ts);
    if (!old) return fault("message_not_found");
    // Names are linked, as a client does.
    const text = parse === "none" ? payload.text : payload.text.replaceAll("@", "<!mention>");
    return put(ts, { text, blocks: payload.blocks ?? old.blocks ?? [] });
  };
  const methods = new Map([
    ["/api/chat.postMessage", postMessage],
    ["/api/chat.update", update],
  ]);
  const reply = ({ path, headers, body }: Captured): Behaviour => {
    const payload = JSON.parse(body) as Payload;
    if (headers.authorization !== `Bearer ${token}`) return fault("invalid_auth");
    return findFault(payload) ?? methods.get(path)?.(payload) ?? answer(404);
  };
  const refusal = answerJson(429, { ok: false, error: "ratelimited" }, { "retry-after": "3" });
  const server = await startRuledServer({ reply, refusal, clear: () => messages.clear() });
  return {
    ...server,
    settings: { token, channel: channel.name, server: server.origin },
    listActive: async () => [...messages.values()].map(readSlack),
  };
}

function findFault({ text, blocks = [] }: Payload): Behaviour | undefined {
  if (text === "" && blocks.length === 0) return fault("no_text");
  if (text.length > 4_000) return fault("msg_too_long");
  const isTooLong = ({ type, text }: Block) => text.text.length > (type === "header" ? 150 : 3_000);
  return blocks.some(isTooLong) ? fault("invalid_blocks") : undefined;
}

/** Reads a message as a person would see it: the blocks, or the text if there are none. */
export function readSlack({ text, blocks = [] }: SlackContent): Reading {
  const whole = blocks.length > 0 ? blocks.map((block) => block.text.text).join("\n") : text;
  return readLines(decode(whole));
}

function decode(text: string): string {
  const shown = text
    .replace(/<[!@#][^>]*>/g, "[mention]")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">");
  return shown.replaceAll("&amp;", "&");
}
