import * as z from "zod";
import { isSuccess, parseReply } from "../core/http-port.ts";
import type { Message } from "../core/message.ts";
import { secret, secretUrl } from "../core/secret.ts";
import { botLifecycle, type ChangeRule, defineHttpNotifier } from "./shared/http-notifier.ts";
import { breakBehind, titleAndBody } from "./shared/markup.ts";
import { formatCode, notFrom } from "./shared/reply-rules.ts";
import { serverAddress } from "./shared/settings.ts";

/** Invisible space that keeps the beginning of a line from becoming a quote, a list or a heading. */
const lineStart = "\u200b";

/**
 * Escapes markup and mentions in a message's own text, which Rocket.Chat always reads as Markdown. The parser supports
 * backslashes before a few characters only, so `_x_` stays italic.
 * https://github.com/RocketChat/Rocket.Chat/tree/develop/packages/message-parser
 */
function inert(text: string): string {
  const escaped = breakBehind(text, /[\\[\]()<>|:@#$!.+_-]/g).replace(/[*~`]/g, "\\$&");
  return escaped.replaceAll("\n", `\n${lineStart}`);
}

const settingsSchema = z.object({
  url: secretUrl("Incoming webhook, `https://your-server/hooks/…`.").optional(),
  server: serverAddress.optional().describe("Address of your server."),
  token: secret(z.string().min(1)).optional().describe("Personal access token of the bot."),
  userId: z.string().min(1).optional().describe("User id of the bot, shown with its token."),
  channel: z.string().min(1).optional().describe("Channel, such as `#agents`, or a room id; the bot must be a member."),
});
type Settings = z.output<typeof settingsSchema>;

/** Builds a request to the server as the bot. https://developer.rocket.chat/apidocs/chat */
const asBot = ({ server, token = "", userId = "" }: Settings, method: string) => ({
  url: `${server}/api/v1/${method}`,
  headers: { "x-auth-token": token, "x-user-id": userId },
});

/** Joins title and body in one text for a bot, because a bot's edit can change the text but not attachments. */
const formatText = (message: Pick<Message, "title" | "body">) => lineStart + inert(titleAndBody(message));

const receiptSchema = z.object({ room: z.string().max(128), message: z.string().max(128) });
const replySchema = z.object({ message: z.object({ _id: z.string(), rid: z.string() }) });

/** Errors for a message that is gone or can no longer be edited. */
const gonePattern =
  /^No message found with the id|^The room id provided does not match|error-message-editing-blocked|error-action-not-allowed/;

/** Replaces the text of a message, without a notification. */
const edit: ChangeRule<Settings> = {
  request({ settings, message, receipt }) {
    const sent = receiptSchema.safeParse(receipt).data;
    if (!sent || settings.url !== undefined) return undefined;
    const payload = { roomId: sent.room, msgId: sent.message, text: formatText(message) };
    return { ...asBot(settings, "chat.update"), body: JSON.stringify(payload) };
  },
  isGone: (reply) => parseReply(reply)?.["success"] === false && gonePattern.test(String(parseReply(reply)?.["error"])),
};

/**
 * Notifier for a Rocket.Chat channel, through an incoming webhook or as a bot. Only a bot's messages can be edited. A
 * webhook sends the body as an attachment, which is plain text because `mrkdwn_in` is empty.
 */
export const rocketChat = defineHttpNotifier({
  name: "rocket-chat",
  summary: "Posts to a Rocket.Chat channel through an incoming webhook or as a bot.",
  source:
    "https://github.com/RocketChat/Rocket.Chat/blob/develop/apps/meteor/app/lib/server/functions/processWebhookMessage.ts",
  guide: async () => ({
    where: {
      url: "In Rocket.Chat: Administration → Workspace → Integrations → New → Incoming.",
      server: "It is the address that you open in a browser.",
      token: "Log in as the bot: Profile → Personal Access Tokens → Add.",
      userId: "Log in as the bot: it is shown once with the new token.",
      channel: "It is the name in the list of channels.",
    },
    variants: ["Incoming webhook (quickest)", "Bot (can edit its messages)"],
  }),
  audience: "team",
  lifecycle: botLifecycle("server"),
  settings: settingsSchema,
  variants: [["url"], ["server", "token", "userId", "channel"]],
  example: { url: "${env:ROCKET_CHAT_WEBHOOK_URL}" },
  // The server's setting `Message_MaxAllowedSize` allows 5,000 characters by default.
  limits: { unit: "utf16", title: 150, body: 4_000, countedAs: inert },
  fallbackLimits: { unit: "utf16", title: 100, body: 500, countedAs: inert },
  request({ settings, message, isFallback }) {
    if (settings.url === undefined) {
      const payload = { channel: settings.channel, text: formatText(message) };
      return { ...asBot(settings, "chat.postMessage"), body: JSON.stringify(payload) };
    }
    const { title, body } = message;
    const text = isFallback ? formatText(message) : lineStart + inert(title);
    const attachments = isFallback || body === "" ? [] : [{ text: body, mrkdwn_in: [] }];
    return { url: settings.url, body: JSON.stringify({ text, attachments, parseUrls: false }) };
  },
  receipt(reply) {
    const sent = replySchema.safeParse(parseReply(reply)).data?.message;
    return sent && { room: sent.rid, message: sent._id };
  },
  edit,
  classifyReply(reply) {
    const { success, error, errorType = error } = parseReply(reply) ?? {};
    if (errorType === "error-too-many-requests")
      return { reason: "rate-limited", message: "reports too many requests" };
    if (success === false && unknownChannel.includes(String(errorType))) {
      const hint = "Check `channel`, and that the bot is a member of it and may post there.";
      return { reason: "auth", message: `answered with ${formatCode(errorType)}`, hint };
    }
    if (!isSuccess(reply) || success === true) return undefined;
    if (success !== false) return notFrom("Rocket.Chat");
    return { reason: "rejected", message: `answered with ${formatCode(errorType)}` };
  },
  hints: {
    auth: "Check that the integration exists and is enabled, and copy its address into `url` again; for a bot, check `server`, `token` and `userId`.",
  },
  verification: { request: (settings) => (settings.url === undefined ? asBot(settings, "me") : undefined) },
});

/** Errors for a channel that does not exist or that the bot may not post to. */
const unknownChannel = ["invalid-channel", "error-room-not-found", "error-invalid-room", "error-not-allowed"];
