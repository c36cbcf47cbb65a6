import { answerJson, type Behaviour, type Captured } from "../world/hostile-server.ts";
import type { ChangeWorld } from "./contract/describe-changes.ts";
import { canary, type Reading } from "./contract/notifier-case.ts";
import { startRuledServer } from "./contract/ruled-server.ts";

const app = { appId: "cli_a1b2c3", appSecret: canary, chat: "oc_d4e5f6" };
const maxRequestBytes = 30 * 1024;

interface Text {
  readonly tag: string;
  readonly content: string;
}

interface Card {
  readonly config?: { readonly update_multi?: boolean };
  readonly header?: { readonly title: Text };
  readonly elements: readonly { readonly text: Text }[];
}

/** A Feishu server, and its app's actions. */
export interface FeishuServer extends ChangeWorld {
  /** Number of issued tokens. */
  tokensGiven(): number;
  /** Revokes the issued tokens. */
  revokeTokens(): void;
}

const done = (more: object): Behaviour => answerJson(200, { code: 0, msg: "success", ...more });
const fault = (code: number, status = 400): Behaviour => answerJson(status, { code, msg: "in Feishu's words" });

/**
 * Starts a Feishu server with one app, whose bot is in one group. An update needs a card that is shared before and
 * after the update. https://open.feishu.cn/document/server-docs/im-v1/message-card/patch.md
 */
export async function startFeishuServer(): Promise<FeishuServer> {
  const cards = new Map<string, string>();
  let given = 0;
  let valid: string | undefined;
  let sent = 0;
  const giveToken = (body: string): Behaviour => {
    const { app_id, app_secret } = JSON.parse(body) as Record<string, string>;
    if (app_id !== app.appId || app_secret !== app.appSecret) return fault(10_014, 200);
    given += 1;
    valid = `t-${canary}-${given}`;
    return done({ tenant_access_token: valid, expire: 7_200 });
  };
  const send = (body: string): Behaviour => {
    const { receive_id, msg_type, content } = JSON.parse(body) as Record<string, string>;
    if (receive_id !== app.chat) return fault(230_002);
    if (msg_type !== "interactive" || content === undefined || !isShared(content)) return fault(230_099);
    sent += 1;
    const message_id = `om_${String(sent).padStart(32, "0")}`;
    cards.set(message_id, content);
    return done({ data: { message_id, chat_id: app.chat, msg_type } });
  };
  const update = (id: string, body: string): Behaviour => {
    const { content = "" } = JSON.parse(body) as Record<string, string>;
    if (!cards.has(id)) return fault(230_011);
    if (!isShared(content)) return fault(230_099);
    cards.set(id, content);
    return done({ data: {} });
  };
  const reply = ({ method, path, body, headers }: Captured): Behaviour => {
    if (path === "/open-apis/auth/v3/tenant_access_token/internal") return giveToken(body);
    if (headers.authorization !== `Bearer ${valid}`) return fault(99_991_663);
    if (Buffer.byteLength(body) > maxRequestBytes) return fault(230_025);
    const [, id] = path.match(/^\/open-apis\/im\/v1\/messages\/(\w+)$/) ?? [];
    if (method === "PATCH" && id !== undefined) return update(id, body);
    const isSending = method === "POST" && path === "/open-apis/im/v1/messages?receive_id_type=chat_id";
    return isSending ? send(body) : fault(230_001);
  };
  const server = await startRuledServer({ reply, refusal: fault(230_027), clear: () => cards.clear() });
  return {
    ...server,
    settings: { ...app, server: server.origin },
    listActive: async () => [...cards.values()].map(readCard),
    tokensGiven: () => given,
    revokeTokens() {
      valid = undefined;
    },
  };
}

function isShared(content: string): boolean {
  const { config, elements } = JSON.parse(content) as Card;
  return config?.update_multi === true && elements.length > 0;
}

/** Reads a card as a person would see it; an unbroken `<` or `]` may be markup. */
export function readCard(content: string): Reading {
  const { header, elements } = JSON.parse(content) as Card;
  const show = ({ tag, content }: Text) =>
    tag === "plain_text" ? content.replace(/[<\]](?!\u200b)/g, "[markup]").replace(/([<\]])\u200b/g, "$1") : tag;
  return { title: header ? show(header.title) : "", body: elements.map(({ text }) => show(text)).join("\n") };
}
