import { expect } from "vitest";
import { answerJson, type Behaviour, type Captured } from "../../world/hostile-server.ts";
import { type Cases, type ChangeWorld, canary, limited, type Reading, readLines } from "../contract/notifier-case.ts";
import { startRuledServer } from "../contract/ruled-server.ts";

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

const done = (more: object): Behaviour => answerJson(200, { code: 0, msg: "success", ...more });
const fault = (code: number, status = 400): Behaviour => answerJson(status, { code, msg: "in Feishu's words" });

/**
 * Starts a Feishu server with one app, whose bot is in one group. An update needs a card that is shared before and
 * after the update. https://open.feishu.cn/document/server-docs/im-v1/message-card/patch.md
 */
export async function startFeishuServer(): Promise<ChangeWorld> {
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

const code = (number: number, status = 200, headers = {}) =>
  answerJson(status, { code: number, msg: `May I run the tests? ${canary}`, data: {} }, headers);

export const httpCase: Cases["httpCase"] = {
  settings: (origin) => ({ url: `${origin}/open-apis/bot/v2/hook/${canary}`, secret: canary }),
  success: answerJson(200, { StatusCode: 0, StatusMessage: "success", code: 0, data: {}, msg: "success" }),
  rejections: [
    ["a wrong signature or clock", code(19021), "auth"],
    ["a deleted bot", code(19001), "auth"],
    ["a forbidden address", code(19022), "auth"],
    ["a missing keyword", code(19024), "auth"],
    ["a bad request", code(9499), "rejected"],
    ["any other code", code(12345), "rejected"],
    ["too many at a full hour, in a success", code(11232), "rate-limited"],
    ["too many, as an error of ours", code(99991400, 400), "rate-limited"],
    [
      "too many, with a wait in Feishu's own header",
      code(99991400, 429, { "x-ogw-ratelimit-reset": "17" }),
      limited(17_000),
    ],
  ],
  read({ body }) {
    return readLines(JSON.parse(body).content.text.replace(/([<\]])\u200b/g, "$1"));
  },
  valid({ body }) {
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(20_000);
    const payload = JSON.parse(body);
    expect(Object.keys(payload).sort()).toEqual(["content", "msg_type", "sign", "timestamp"]);
    expect(payload.msg_type).toBe("text");
    expect(payload.content.text).not.toMatch(/^$|[<\]](?!\u200b)/);
  },
  mentions: ['<at user_id="all">all</at> <at id=all></at> <b>x</b> [x](https://e) <\u200bat'],
};

export const url = "https://open.feishu.cn/open-apis/bot/v2/hook/k";
export const receipt = { messageId: "om_1" };

export const changeCase: Cases["changeCase"] = {
  start: () => startFeishuServer(),
  withdrawn: "done",
  refusal: "auth",
  foreign: [{}, { messageId: 1 }, { messageId: "om_../1" }, { messageId: "1" }],
  otherVariant: { settings: { url }, receipt },
};

export const settings = (server: string) => ({ ...app, server });
export const tokenPath = "/open-apis/auth/v3/tenant_access_token/internal";
const token = answerJson(200, { code: 0, tenant_access_token: "t-1", expire: 7_200 });

/** Makes the answer to a request with a token. */
export const withToken =
  (reply: Behaviour): Behaviour =>
  (request, response) =>
    (request.url === tokenPath ? token : reply)(request, response);
const coded = (code: number) => [`code ${code}`, withToken(answerJson(400, { code }))] as const;

export const replyCase: Cases["replyCase"] = {
  settings,
  receipt,
  requests: 2,
  final: [coded(230_011), coded(230_031), coded(230_110)],
  failures: [
    [...coded(230_002), "auth"],
    [...coded(99_991_672), "auth"],
    [...coded(230_020), "rate-limited"],
    [...coded(230_025), "rejected"],
    [...coded(99_991_663), "unavailable"],
  ],
};

export const probeCase: Cases["probeCase"] = { settings, asks: { method: "POST", path: tokenPath }, success: token };
