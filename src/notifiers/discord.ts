import * as z from "zod";
import { isSuccess, parseReply } from "../core/http-port.ts";
import type { Message } from "../core/message.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { secretUrl } from "../core/secret.ts";
import { type ChangeRule, defineHttpNotifier, withQuery } from "./shared/http-notifier.ts";
import { requireField } from "./shared/reply-rules.ts";

/**
 * Flag of a message without push: https://docs.discord.com/developers/resources/message#message-object-message-flags
 */
const suppressNotifications = 1 << 12;
/** Message flag that suppresses link previews. */
const suppressEmbeds = 1 << 2;

/** Characters that begin markup. Parentheses are not included, because a link begins with a bracket. */
const markup = /[\\`*_~>|#+\-[\]<]/;
/** Web addresses, which stay unescaped: Discord would read a backslash as part of the address. */
const address = /(?<![\p{L}\p{N}_])https?:\/\/[^\s\\`*~>|[\]<(){}]+/u;
const addressOrMarkup = new RegExp(`${address.source}|${markup.source}`, "gu");

/** Puts a backslash before every character that could begin markup, except in addresses. */
function inert(text: string): string {
  return text.replace(addressOrMarkup, (found) => (found.length > 1 ? found : `\\${found}`));
}

/** Builds the content of a message. Edits must also turn mentions off, or Discord would turn mentions on again. */
function buildContent({ title, body }: Message, isFallback: boolean) {
  const head = inert(title);
  return {
    content: [isFallback ? head : `**${head}**`, inert(body)].filter(Boolean).join("\n"),
    allowed_mentions: { parse: [] },
    flags: suppressEmbeds,
  };
}

interface Address {
  readonly url: string;
  readonly threadId?: string | undefined;
}

/** Tells if messages go to a thread: an existing thread, or in a forum channel a new thread for each message. */
function isInThread({ url, threadId }: Address): boolean {
  const { searchParams } = new URL(url);
  return threadId !== undefined || searchParams.has("thread_id") || searchParams.has("thread_name");
}

const id = z.string().regex(/^\d{1,20}$/);
/** Receipt of a message. An edit of a message in a thread must name the thread. */
const receiptSchema = z.object({ messageId: id, threadId: id.optional() });
const replySchema = z.object({ id, channel_id: id.optional() });

/** Error codes for an unknown message, an unknown thread and an archived thread, sent with status 404 or 400. */
const goneCodes: readonly unknown[] = [10_008, 10_003, 50_083];

/** Replaces the text of a message. Discord sends no notification for an edit. */
const edit: ChangeRule<Address> = {
  request({ settings, message, isFallback, receipt }) {
    const sent = receiptSchema.safeParse(receipt).data;
    if (!sent) return undefined;
    const { origin, pathname } = new URL(settings.url);
    const address = `${origin}${pathname.replace(/\/+$/, "")}/messages/${sent.messageId}`;
    return {
      method: "PATCH",
      url: withQuery(address, omitUndefined({ thread_id: sent.threadId })),
      body: JSON.stringify(buildContent(message, isFallback)),
    };
  },
  isGone: (reply) => !isSuccess(reply) && goneCodes.includes(parseReply(reply)?.["code"]),
};

/** Notifier for a Discord webhook. Text is escaped, and `allowed_mentions` is empty. */
export const discord = defineHttpNotifier({
  name: "discord",
  summary: "Posts to a Discord channel through a webhook.",
  source: "https://docs.discord.com/developers/resources/webhook#execute-webhook",
  guide: async () => ({
    where: { url: "In Discord: Edit Channel → Integrations → Webhooks → New Webhook → Copy Webhook URL." },
  }),
  audience: "team",
  settings: z.object({
    url: secretUrl("Webhook, `https://discord.com/api/webhooks/…`."),
    threadId: z.string().regex(/^\d+$/, "must be a number").optional().describe("Id of a thread in the channel."),
  }),
  example: { url: "${env:DISCORD_WEBHOOK_URL}" },
  // Discord accepts 2,000 characters in total, measured on the escaped text.
  limits: { unit: "utf16", title: 240, body: 1_750, countedAs: inert },
  fallbackLimits: { unit: "utf16", title: 100, body: 500, countedAs: inert },
  urgency: { "needs-you": "push", failed: "push", finished: "push", info: "silent" },
  lifecycle: { withdrawn: "marked as done" },
  request({ settings, message, isFallback }) {
    const flags = suppressEmbeds | (message.kind === "info" ? suppressNotifications : 0);
    const payload = { ...buildContent(message, isFallback), flags };
    // With `wait`, Discord answers only after it has saved the message, and reports failures.
    const query = { wait: "true", ...omitUndefined({ thread_id: settings.threadId }) };
    return { url: withQuery(settings.url, query), body: JSON.stringify(payload) };
  },
  receipt(reply, { settings }) {
    const sent = replySchema.safeParse(parseReply(reply)).data;
    return sent && omitUndefined({ messageId: sent.id, threadId: isInThread(settings) ? sent.channel_id : undefined });
  },
  edit,
  classifyReply: requireField("Discord", "id"), // messages and webhooks both have an id
  hints: {
    auth: "Check that the webhook and its thread still exist: copy the address into `url` again (channel settings, Integrations) and check `threadId`.",
    rejected: "In a forum channel every post needs a thread: set `threadId`.",
  },
  verification: { request: ({ url }) => ({ url }) },
});
