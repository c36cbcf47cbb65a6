import * as z from "zod";
import { type HttpReply, isSuccess, parseReply, type Rejection } from "../core/http-port.ts";
import type { Message } from "../core/message.ts";
import { secret, secretUrl } from "../core/secret.ts";
import { escapeEntities } from "../text/html.ts";
import { botLifecycle, type ChangeRule, defineHttpNotifier } from "./shared/http-notifier.ts";
import { formatCode, notFrom } from "./shared/reply-rules.ts";
import { serverAddress } from "./shared/settings.ts";

const plainText = (text: string) => ({ type: "plain_text", text: escapeEntities(text), emoji: false });

/** Builds a message with blocks, and with a text for notifications. Omits the blocks if Slack rejected them before. */
function buildContent({ title, body }: Message, isFallback: boolean) {
  const blocks = [
    { type: "header", text: plainText(title) },
    ...(body === "" ? [] : [{ type: "section", text: plainText(body) }]),
  ];
  return { text: escapeEntities(`${title}\n${body}`.trim()), blocks: isFallback ? undefined : blocks };
}

const settingsSchema = z.object({
  url: secretUrl("Incoming webhook, `https://hooks.slack.com/services/…`.").optional(),
  token: secret(z.string().regex(/^xox[\w.-]{10,}$/, "must be a token, `xoxb-…`"))
    .optional()
    .describe("Token, `xoxb-…`, of an app (api.slack.com/apps) with the bot scope `chat:write`."),
  channel: z
    .string()
    .regex(/^#?[^\s#]{1,80}$/, "must be a channel's id or name")
    .optional()
    .describe("Channel, by id (`C…`) or name; the bot must be a member."),
  server: serverAddress.optional().describe("Address of the Web API, by default `https://slack.com`."),
});
type Settings = z.output<typeof settingsSchema>;

/** Builds a request to the Web API as the bot. https://docs.slack.dev/apis/web-api/ */
const asBot = ({ server = "https://slack.com", token }: Settings, method: string) => ({
  method: "POST" as const,
  url: `${server}/api/${method}`,
  headers: { authorization: `Bearer ${token}`, "content-type": "application/json; charset=utf-8" },
});

/** Receipt of a message: the channel's id, even if the settings use a name, and the message's time, which is its id. */
const receiptSchema = z.object({
  channel: z.string().regex(/^[A-Z0-9]{1,64}$/),
  ts: z.string().regex(/^\d{1,20}\.\d{1,20}$/),
});

/** Errors for a message that can no longer be edited. */
const goneErrors: readonly unknown[] = ["message_not_found", "edit_window_closed", "cant_update_message"];

/** Replaces a message. Slack sends no notification for an edit. */
const edit: ChangeRule<Settings> = {
  request({ settings, message, isFallback, receipt }) {
    const sent = receiptSchema.safeParse(receipt).data;
    if (!sent || settings.token === undefined) return undefined;
    const { text, blocks = [] } = buildContent(message, isFallback);
    // Unlike new messages, edited messages link names and channels and keep their blocks, unless the request says
    // otherwise.
    return { ...asBot(settings, "chat.update"), body: JSON.stringify({ ...sent, text, blocks, parse: "none" }) };
  },
  isGone: (reply) => goneErrors.includes(parseReply(reply)?.["error"]),
};

const tokenHint = "Check `token`: it is the bot token of an app that is installed in the workspace.";
const scopeHint = "Give the app the scope `chat:write`, install it again, and set `token` to its bot token.";
const channelHint = "Check `channel`, and invite the app there: /invite @its-name.";

/**
 * Web API errors that need another reason or hint than a plain `rejected`.
 * https://docs.slack.dev/reference/methods/chat.postMessage
 */
const meanings: readonly (readonly [errors: readonly string[], Omit<Rejection, "message">])[] = [
  [
    ["invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "not_allowed_token_type"],
    { reason: "auth", hint: tokenHint },
  ],
  [["missing_scope", "no_permission", "access_denied"], { reason: "auth", hint: scopeHint }],
  [["channel_not_found", "not_in_channel", "is_archived", "restricted_action"], { reason: "auth", hint: channelHint }],
  [["ratelimited", "rate_limited", "message_limit_exceeded"], { reason: "rate-limited" }],
  [["internal_error", "fatal_error", "service_unavailable", "request_timeout"], { reason: "unavailable" }],
];

/** Maps a failed Web API reply to a rejection. A listed error decides; otherwise an HTTP error status decides. */
function readRejection(reply: HttpReply): Rejection | undefined {
  const error = formatCode(parseReply(reply)?.["error"]);
  const known = meanings.find(([errors]) => errors.includes(error))?.[1];
  if (!known && !isSuccess(reply)) return undefined;
  return { reason: "rejected", ...known, message: `answered with ${error}` };
}

/** Notifier for a Slack channel, in plain text, through a webhook or as a bot. Only a bot's messages can be edited. */
export const slack = defineHttpNotifier({
  name: "slack",
  summary: "Posts to a Slack channel through an incoming webhook or as a bot.",
  source: "https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks",
  guide: async () => ({
    where: {
      url: "At https://api.slack.com/apps: your app → Incoming Webhooks → Add New Webhook.",
      token: "At https://api.slack.com/apps: your app → OAuth & Permissions → Bot User OAuth Token.",
      channel: "The id is at the bottom of the channel's details; to let the bot in, type /invite @its-name there.",
    },
    variants: ["Incoming webhook (quickest)", "Bot (can edit its messages)"],
  }),
  audience: "team",
  lifecycle: botLifecycle("workspace"),
  settings: settingsSchema,
  variants: [["url"], ["token", "channel"]],
  usedOnlyWith: { server: "token" },
  example: { url: "${env:SLACK_WEBHOOK_URL}" },
  // Slack accepts 150 characters in a header block and 3,000 in a section block, measured on the escaped text.
  limits: { unit: "utf16", title: 150, body: 3_000, countedAs: escapeEntities },
  fallbackLimits: { unit: "utf16", title: 100, body: 1_000, countedAs: escapeEntities },
  request({ settings, message, isFallback }) {
    const payload = { ...buildContent(message, isFallback), unfurl_links: false, unfurl_media: false };
    if (settings.url !== undefined) return { url: settings.url, body: JSON.stringify(payload) };
    const body = JSON.stringify({ channel: settings.channel, ...payload });
    return { ...asBot(settings, "chat.postMessage"), body };
  },
  receipt: (reply) => receiptSchema.safeParse(parseReply(reply)).data,
  edit,
  // A webhook answers `ok`. The Web API answers with an object, mostly with status 200 even for errors.
  classifyReply(reply) {
    const ok = parseReply(reply)?.["ok"];
    if (ok === false) return readRejection(reply);
    const isTaken = ok === true || reply.body.trim() === "ok";
    return isSuccess(reply) && !isTaken ? notFrom("Slack") : undefined;
  },
  hints: {
    auth: "The webhook may have been removed or its channel archived: create a new one at https://api.slack.com/apps and set `url` to its address. For a bot, check `token`, `channel` and `server`.",
  },
  verification: { request: (settings) => (settings.token === undefined ? undefined : asBot(settings, "auth.test")) },
});
