import * as z from "zod";
import { omitUndefined } from "../core/omit-undefined.ts";
import { secretUrl } from "../core/secret.ts";
import { defineHttpNotifier, withQuery } from "./shared/http-notifier.ts";
import { requireField } from "./shared/reply-rules.ts";

/** Message flag: no push. https://docs.discord.com/developers/resources/message#message-object-message-flags */
const suppressNotifications = 1 << 12;
/** Message flag: no link previews. */
const suppressEmbeds = 1 << 2;

/** Characters that begin markup. Parentheses are not among them: a link needs brackets first. */
const markup = /[\\`*_~>|#+\-[\]<]/;
/** Addresses, which are not escaped: Discord finds them first, and a backslash would become part of them. */
const address = /(?<![\p{L}\p{N}_])https?:\/\/[^\s\\`*~>|[\]<(){}]+/u;
const addressOrMarkup = new RegExp(`${address.source}|${markup.source}`, "gu");

/** A text with a backslash before every character that could begin markup, except in addresses. */
function inert(text: string): string {
  return text.replace(addressOrMarkup, (found) => (found.length > 1 ? found : `\\${found}`));
}

/** Notifier for a Discord webhook. Text is escaped, and mentions nobody, since `allowed_mentions` is empty. */
export const discord = defineHttpNotifier({
  name: "discord",
  summary: "Posts to a Discord channel through a webhook.",
  source: "https://docs.discord.com/developers/resources/webhook#execute-webhook",
  audience: "team",
  settings: z.object({
    url: secretUrl("The webhook's address, `https://discord.com/api/webhooks/…`."),
    threadId: z.string().regex(/^\d+$/, "must be a number").optional().describe("The id of a thread in the channel."),
  }),
  example: { url: "${env:DISCORD_WEBHOOK_URL}" },
  // 2,000 characters in all, measured on the escaped text.
  limits: { unit: "utf16", title: 240, body: 1_750, countedAs: inert },
  fallbackLimits: { unit: "utf16", title: 100, body: 500, countedAs: inert },
  urgency: { "needs-you": "push", failed: "push", finished: "push", info: "silent" },
  request({ settings, message: { title, body, kind }, isFallback }) {
    const head = inert(title);
    const payload = {
      content: [isFallback ? head : `**${head}**`, inert(body)].filter(Boolean).join("\n"),
      allowed_mentions: { parse: [] },
      flags: suppressEmbeds | (kind === "info" ? suppressNotifications : 0),
    };
    // With `wait` Discord answers only once the message is saved, and reports it where it is not.
    const query = { wait: "true", ...omitUndefined({ thread_id: settings.threadId }) };
    return { url: withQuery(settings.url, query), body: JSON.stringify(payload) };
  },
  classifyReply: requireField("Discord", "id"), // both a message and a webhook have one
  hints: {
    auth: "Check that the webhook and its thread still exist: copy the address into `url` again (channel settings, Integrations) and check `threadId`.",
    rejected: "In a forum channel every post needs a thread: set `threadId`.",
  },
  probe: { request: ({ url }) => ({ url }) },
});
