import * as z from "zod";
import { defineHttpNotifier } from "../core/http-notifier.ts";
import { escapeMarkdown } from "../core/markup.ts";
import { isSuccess, jsonOf, notFrom } from "../core/reply.ts";
import { secretUrl } from "../core/secret.ts";

/** Message flag: no push, no sound. https://docs.discord.com/developers/resources/message#message-object-message-flags */
const suppressNotifications = 1 << 12;
/** Message flag: no previews of links. */
const suppressEmbeds = 1 << 2;

/** A Discord webhook. Foreign text is escaped, and mentions nobody: `allowed_mentions` is empty. */
export const discord = defineHttpNotifier({
  name: "discord",
  summary: "Posts to a Discord channel through a webhook.",
  source: "https://docs.discord.com/developers/resources/webhook#execute-webhook",
  settings: z.object({
    url: secretUrl("The webhook's address, `https://discord.com/api/webhooks/…`."),
    threadId: z.string().regex(/^\d+$/, "must be a number").optional().describe("A thread of that channel."),
  }),
  example: { url: "${env:DISCORD_WEBHOOK_URL}" },
  budgetMs: 10_000,
  // 2,000 characters for the whole of it; what counts is the escaped text.
  limits: { unit: "utf16", title: 240, body: 1_750, countedAs: escapeMarkdown },
  plainer: { unit: "utf16", title: 100, body: 500, countedAs: escapeMarkdown },
  urgency: { "needs-you": "push", failed: "push", finished: "push", info: "silent" },
  request({ settings, message: { title, body, kind }, plain }) {
    const head = escapeMarkdown(title);
    const payload = {
      content: [plain ? head : `**${head}**`, escapeMarkdown(body)].filter(Boolean).join("\n"),
      allowed_mentions: { parse: [] },
      flags: suppressEmbeds | (kind === "info" ? suppressNotifications : 0),
    };
    // Without `wait` a message that is not saved is no error.
    return { url: withQuery(settings.url, settings.threadId), body: JSON.stringify(payload) };
  },
  judge: (reply) => (isSuccess(reply) && typeof jsonOf(reply)?.["id"] !== "string" ? notFrom("Discord") : undefined),
  hints: {
    auth: "Was the webhook deleted, or its thread? Copy its address again into `url` (channel settings, Integrations), and check `threadId`.",
    rejected: "In a forum channel a post needs a thread: set `threadId`.",
  },
  probe: {
    request: ({ url }) => ({ url, method: "GET" }),
    judge: (reply) => (isSuccess(reply) && typeof jsonOf(reply)?.["id"] !== "string" ? notFrom("Discord") : undefined),
  },
});

function withQuery(address: string, threadId: string | undefined): string {
  const url = new URL(address);
  url.searchParams.set("wait", "true");
  if (threadId !== undefined) url.searchParams.set("thread_id", threadId);
  return url.href;
}
