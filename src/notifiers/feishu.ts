import * as z from "zod";
import { type HttpPort, type HttpReply, isSuccess, parseReply } from "../core/http-port.ts";
import { at } from "../core/json-value.ts";
import type { Message } from "../core/message.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { secret, secretUrl } from "../core/secret.ts";
import { type AnyCall, type ChangeRule, defineHttpNotifier, hmacBase64, shortHash } from "./shared/http-notifier.ts";
import { breakBehind, jsonForm, keywordSetting, textWithKeyword, titleAndMessage } from "./shared/markup.ts";
import { classifyByCode, notFrom } from "./shared/reply-rules.ts";
import { serverAddress } from "./shared/settings.ts";

/** Makes tags, such as `<at user_id="all">`, and links, `[text](address)`, ineffective. */
const inert = (text: string) => breakBehind(text, /[<\]]/g);
const countedAs = (text: string) => jsonForm(inert(text));
const clockHint = "Check `secret`, and the clock: signatures expire after an hour.";
const keywordHint = "Set `keyword` to the bot's keyword.";
const addressHint = "Add this machine's IP address to those the bot allows.";

const chatHint = "Check `chat`, and add the app's bot to that group.";
const permissionHint =
  "Give the app the bot ability and the permission `im:message:send_as_bot`, and publish it; check `appId`.";

const settingsSchema = z.object({
  url: secretUrl(
    "Webhook of a custom bot, `https://open.feishu.cn/open-apis/bot/v2/hook/…` or `open.larksuite.com`.",
  ).optional(),
  secret: secret(z.string().min(1)).optional().describe("Signing secret, if the custom bot checks signatures."),
  keyword: keywordSetting,
  appId: z
    .string()
    .regex(/^cli_\w{1,64}$/, "must be an app's id, `cli_…`")
    .optional()
    .describe("Id, `cli_…`, of a published app with the bot ability and the permission `im:message:send_as_bot`."),
  appSecret: secret(z.string().min(1)).optional().describe("Secret of the app."),
  chat: z
    .string()
    .regex(/^oc_\w{1,64}$/, "must be a chat's id, `oc_…`")
    .optional()
    .describe("Id of the group, `oc_…`; the app's bot must be a member."),
  server: serverAddress
    .optional()
    .describe("Address of the service, by default `https://open.feishu.cn`; for Lark `https://open.larksuite.com`."),
});
type Settings = z.output<typeof settingsSchema>;

const buildApiUrl = ({ server = "https://open.feishu.cn" }: Settings) => `${server}/open-apis`;

const tokenReplySchema = z.object({ tenant_access_token: z.string().min(1), expire: z.number() });
const tokenHint = "Check `appId`, `appSecret` and `server`.";
const classifyTokenCode = classifyByCode({
  service: "Feishu",
  field: "code",
  meanings: [
    [[10003, 10014], { reason: "auth", message: "wrong app or secret", hint: tokenHint }],
    [[99991400], { reason: "rate-limited", message: "too many requests" }],
  ],
  hint: "Look up the code in Feishu's documentation of tokens.",
});

/** Error code for an expired or revoked token. */
const refusedTokenCode = 99991663;

const isRefused = (reply: HttpReply) => parseReply(reply)?.["code"] === refusedTokenCode;
/** Time before expiry when a token is renewed, 60 s. A token must not expire while a request is in transit. */
const tokenMarginMs = 60_000;
/** Tokens by the request that obtains them. */
const tokens = new Map<string, { readonly token: string; readonly untilMs: number }>();

/**
 * Rule for the request that buys the app's token for its credentials. A webhook needs no token.
 * https://open.feishu.cn/document/server-docs/authentication-management/access-token/tenant_access_token_internal.md
 */
const tokenRule = {
  request: (settings: Settings) =>
    settings.appId === undefined
      ? undefined
      : {
          method: "POST" as const,
          url: `${buildApiUrl(settings)}/auth/v3/tenant_access_token/internal`,
          body: JSON.stringify({ app_id: settings.appId, app_secret: settings.appSecret }),
        },
  classifyReply(reply: HttpReply) {
    const isToken = tokenReplySchema.safeParse(parseReply(reply)).success;
    return classifyTokenCode(reply) ?? (isSuccess(reply) && !isToken ? notFrom("Feishu") : undefined);
  },
};

/**
 * Adds the app's token to each request. If Feishu refuses a token, the token is renewed and the request is sent once
 * more. A refusal of the new token is an ordinary rejection.
 */
function postWithToken(
  post: HttpPort["post"],
  { settings, ports: { clock }, signal }: AnyCall<Settings>,
): HttpPort["post"] {
  const { classifyReply } = tokenRule;
  const tokenRequest = tokenRule.request(settings);
  if (!tokenRequest) return post;
  const key = JSON.stringify(tokenRequest);

  const takeToken = async (): Promise<string> => {
    const kept = tokens.get(key);
    const nowMs = clock.now();
    if (kept && nowMs < kept.untilMs) return kept.token;
    const reply = await post({ ...tokenRequest, classifyReply, hints: { auth: tokenHint }, signal });
    const { tenant_access_token: token, expire } = tokenReplySchema.parse(parseReply(reply));
    tokens.set(key, { token, untilMs: nowMs + expire * 1_000 - tokenMarginMs });
    return token;
  };

  return async (request) => {
    const postWith = (token: string, isGone = request.isGone) => {
      const headers = { ...request.headers, authorization: `Bearer ${token}` };
      return post({ ...request, headers, ...omitUndefined({ isGone }) });
    };
    const token = await takeToken();
    const reply = await postWith(token, (reply) => isRefused(reply) || request.isGone?.(reply) === true);
    if (!isRefused(reply)) return reply;
    if (tokens.get(key)?.token === token) tokens.delete(key); // another call may have renewed the token
    return postWith(await takeToken());
  };
}

const plainText = (text: string) => ({ tag: "plain_text", content: inert(text) });

/** Builds a card, the only message type that can be updated. `update_multi` shows everybody the same card. */
function buildCard(texts: Message): string {
  const { title, message } = titleAndMessage(texts);
  return JSON.stringify({
    config: { update_multi: true, wide_screen_mode: true },
    header: title === undefined ? undefined : { title: plainText(title) },
    elements: [{ tag: "div", text: plainText(message) }],
  });
}

const receiptSchema = z.object({ messageId: z.string().regex(/^om_\w{1,64}$/) });

/** Error codes for a card that cannot be updated, because it was recalled, is older than 14 days or was deleted. */
const goneCodes: readonly unknown[] = [230011, 230031, 230110];

/**
 * Replaces a card. Feishu sends no notification for an update.
 * https://open.feishu.cn/document/server-docs/im-v1/message-card/patch.md
 */
const edit: ChangeRule<Settings> = {
  request({ settings, message, receipt }) {
    const sent = receiptSchema.safeParse(receipt).data;
    if (!sent || settings.appId === undefined) return undefined;
    const url = `${buildApiUrl(settings)}/im/v1/messages/${sent.messageId}`;
    return { method: "PATCH", url, body: JSON.stringify({ content: buildCard(message) }) };
  },
  isGone: (reply) => goneCodes.includes(parseReply(reply)?.["code"]),
};

/**
 * Notifier for Feishu (飞书) or Lark. A custom bot posts plain text through a webhook. An app posts cards, which can be
 * updated. Requests of an app need a token, which is valid for two hours and cached.
 */
export const feishu = defineHttpNotifier({
  name: "feishu",
  summary: "Posts to a Feishu (飞书) or Lark group through a custom bot or an app.",
  source: "https://open.larkoffice.com/document/ukTMukTMukTM/ucTM5YjL3ETO24yNxkjN.md",
  guide: async () => ({
    where: {
      url: "In the group: Settings → Bots → Add Bot → Custom Bot.",
      appId: "At https://open.feishu.cn/app: your app → Credentials & Basic Info.",
      appSecret: "It is next to the app's id.",
      chat: "It is at the bottom of the group's settings, as chat ID.",
    },
    variants: ["Webhook of a custom bot (quickest)", "App (can edit its messages)"],
  }),
  audience: "team",
  lifecycle: {
    withdrawn: "marked as done",
    condition: "only as an app, for 14 days",
    knowsIds: true,
  },
  settings: settingsSchema,
  variants: [["url"], ["appId", "appSecret", "chat"]],
  usedOnlyWith: { secret: "url", keyword: "url", server: "appId" },
  example: { url: "${env:FEISHU_WEBHOOK_URL}", secret: "${env:FEISHU_SECRET}" },
  // Requests may have 20 KB from a custom bot, and 30 KB from an app, which escapes the text twice.
  limits: { unit: "bytes", title: 500, body: 18_000, countedAs },
  fallbackLimits: { unit: "bytes", title: 200, body: 1_000, countedAs },
  request({ settings, message, ports }) {
    if (settings.url === undefined) {
      // Feishu posts only one message for all requests with the same `uuid` within an hour:
      // https://open.feishu.cn/document/server-docs/im-v1/message/create
      const uuid = shortHash(message.id);
      const card = { receive_id: settings.chat, msg_type: "interactive", content: buildCard(message), uuid };
      return { url: `${buildApiUrl(settings)}/im/v1/messages?receive_id_type=chat_id`, body: JSON.stringify(card) };
    }
    const timestamp = String(Math.floor(ports.clock.now() / 1000));
    const payload = {
      // The signature is the HMAC-SHA-256 of an empty text, keyed with timestamp and secret.
      ...(settings.secret !== undefined && { timestamp, sign: hmacBase64(`${timestamp}\n${settings.secret}`, "") }),
      msg_type: "text",
      content: { text: inert(textWithKeyword(message, settings.keyword)) },
    };
    return { url: settings.url, body: JSON.stringify(payload) };
  },
  receipt: (reply) => receiptSchema.safeParse({ messageId: at(parseReply(reply), "data", "message_id") }).data,
  edit,
  // Feishu also sends the rate-limit codes with status 400 and 429.
  classifyReply: classifyByCode({
    service: "Feishu",
    field: "code",
    meanings: [
      [[9499], { reason: "rejected", message: "a bad request" }],
      [[11232, 99991400, 230020], { reason: "rate-limited", message: "more than 5 messages a second or 100 a minute" }],
      [[19001], { reason: "auth", message: "no such bot" }],
      [[19021], { reason: "auth", message: "signature or clock", hint: clockHint }],
      [[19022], { reason: "auth", message: "this IP address is not allowed", hint: addressHint }],
      [[19024], { reason: "auth", message: "the bot's keyword is missing", hint: keywordHint }],
      [[230002], { reason: "auth", message: "the bot is not in the group", hint: chatHint }],
      [[230006, 230027, 99991672], { reason: "auth", message: "a permission is missing", hint: permissionHint }],
      [[refusedTokenCode], { reason: "unavailable", message: "the token is no longer valid" }],
    ],
    hint: "Look up the code in Feishu's documentation of custom bots, or of messages.",
  }),
  hints: {
    auth: "Check that the bot is still in its group, and copy its complete address into `url` again; for an app, check `appId`, `chat` and `server`.",
  },
  wrapPost: postWithToken,
  verification: tokenRule, // an app that gets a token has the right credentials
});
