import { expect } from "vitest";
import { answer, answerJson, type Behaviour, type Captured } from "../../world/hostile-server.ts";
import {
  type Cases,
  type ChangeWorld,
  canary,
  limited,
  type NotifierCase,
  type Reading,
  readLines,
} from "../contract/notifier-case.ts";
import { startRuledServer } from "../contract/ruled-server.ts";

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

/** Makes a refusal of Slack, usually with the status 200. */
const fault = (error: string, status = 200, headers = {}): Behaviour =>
  answerJson(status, { ok: false, error, needed: canary }, headers);

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

const webhookCase: NotifierCase = {
  variant: "through a webhook",
  settings: (origin) => ({ url: `${origin}/services/T0/B0/${canary}` }),
  success: answer(200, { "content-type": "text/html" }, "ok"),
  rejections: [
    ["an archived channel", answer(410, {}, "channel_is_archived"), "auth"],
    ["a deleted channel", answer(404, {}, "channel_not_found"), "auth"],
    ["an internal error", answer(500, {}, "rollup_error"), "unavailable"],
    ["an empty answer", answer(200, {}, ""), "unavailable"],
  ],
  read({ body }, { title }) {
    const { text } = JSON.parse(body) as SlackContent;
    const { title: first, body: rest } = readSlack({ text });
    const decoded = [first, rest].filter(Boolean).join("\n");
    return { title: decoded.slice(0, title.length), body: decoded.slice(title.length + 1) };
  },
  valid({ body }) {
    const payload = JSON.parse(body) as SlackContent;
    expect(payload).toMatchObject({ unfurl_links: false, unfurl_media: false });
    expect(payload.text.length).toBeLessThanOrEqual(4_000);
    expect(payload.text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
    const [header, section] = payload.blocks ?? [];
    for (const block of payload.blocks ?? []) expect(block.text.type).toBe("plain_text");
    expect(header?.text.text.length ?? 1).toBeGreaterThan(0);
    expect(header?.text.text.length ?? 0).toBeLessThanOrEqual(150);
    expect(section?.text.text.length ?? 0).toBeLessThanOrEqual(3_000);
    if (payload.blocks) expect(payload.blocks.map(({ text }) => text.text).join("\n")).toBe(payload.text);
  },
  mentions: ["<!channel> <!here> <@U012AB3CD> <!subteam^S1> <https://evil.example|click> &lt;!channel&gt; :wave:"],
};

export const sent = { channel: "C0AGENTS1", ts: "1700000000.000001" };

export const changeCase: Cases["changeCase"] = {
  start: startSlackServer,
  withdrawn: "done",
  refusal: "rate-limited",
  foreign: [{}, { channel: "C1" }, { channel: "C1", ts: 1.5 }, { channel: "#agents", ts: "1.5" }],
  otherVariant: { settings: { url: "https://hooks.slack.com/services/x" }, receipt: sent },
};

export const bot = (server: string) => ({ token: `xoxb-${canary}`, channel: "#agents", server });

const botCase: NotifierCase = {
  ...webhookCase,
  variant: "as a bot",
  settings: bot,
  success: answerJson(200, { ok: true, ...sent }),
  rejections: [
    ["invalid_auth", fault("invalid_auth"), { reason: "auth", hint: /`token`/ }],
    ["token_revoked", fault("token_revoked"), { reason: "auth", hint: /`token`/ }],
    ["missing_scope", fault("missing_scope"), { reason: "auth", hint: /`chat:write`/ }],
    ["not_in_channel", fault("not_in_channel"), { reason: "auth", hint: /`channel`.*invite/ }],
    ["channel_not_found", fault("channel_not_found"), { reason: "auth", hint: /`channel`/ }],
    ["ratelimited", fault("ratelimited", 429, { "retry-after": "30" }), limited(30_000)],
    ["fatal_error", fault("fatal_error"), "unavailable"],
    ["invalid_blocks", fault("invalid_blocks"), "rejected"],
    ["any other error with a status", fault("whatever", 503), "unavailable"],
    ["no error of its own", answerJson(200, {}), "unavailable"],
  ],
};

export const httpCases = [webhookCase, botCase];

export const replyCase: Cases["replyCase"] = {
  settings: bot,
  receipt: sent,
  final: ["message_not_found", "edit_window_closed", "cant_update_message"].map((error) => [error, fault(error)]),
  failures: [
    ["invalid_auth", fault("invalid_auth"), "auth"],
    ["channel_not_found", fault("channel_not_found"), "auth"],
    ["msg_too_long", fault("msg_too_long"), "rejected"],
  ],
};

export const probeCase: Cases["probeCase"] = {
  settings: bot,
  asks: { method: "POST", path: "/api/auth.test" },
  success: answerJson(200, { ok: true, team: "T", user: "beckon" }),
};
