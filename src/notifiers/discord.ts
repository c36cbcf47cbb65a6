import * as z from "zod";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import { provenBy } from "./shared/reply-rules.ts";
import { secretUrl } from "../core/secret.ts";

/** Message flag: no push, no sound. https://docs.discord.com/developers/resources/message#message-object-message-flags */
const suppressNotifications = 1 << 12;
/** Message flag: no previews of links. */
const suppressEmbeds = 1 << 2;

/** What begins markup. Without brackets around a text the parentheses of a link are none. */
const markup = /[\\`*_~>|#+\-[\]<]/g;
/** A backslash in an address would be part of it: Discord reads addresses before anything else. */
const address = /(?<![\p{L}\p{N}_])https?:\/\/[^\s\\`*~>|[\]<(){}]+/gu;

/** Judges an answer: a message and a webhook both have an id. */
const judgeAnswer = provenBy("Discord", "id");

/** A text with a backslash before every character that could begin markup, addresses left alone. */
function inert(text: string): string {
  let done = 0;
  let escaped = "";
  for (const { index, 0: found } of text.matchAll(address)) {
    escaped += text.slice(done, index).replace(markup, "\\$&") + found;
    done = index + found.length;
  }
  return escaped + text.slice(done).replace(markup, "\\$&");
}

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
  limits: { unit: "utf16", title: 240, body: 1_750, countedAs: inert },
  plainer: { unit: "utf16", title: 100, body: 500, countedAs: inert },
  urgency: { "needs-you": "push", failed: "push", finished: "push", info: "silent" },
  request({ settings, message: { title, body, kind }, plain }) {
    const head = inert(title);
    const payload = {
      content: [plain ? head : `**${head}**`, inert(body)].filter(Boolean).join("\n"),
      allowed_mentions: { parse: [] },
      flags: suppressEmbeds | (kind === "info" ? suppressNotifications : 0),
    };
    // Without `wait` a message that is not saved is no error.
    return { url: withQuery(settings.url, settings.threadId), body: JSON.stringify(payload) };
  },
  judge: judgeAnswer,
  hints: {
    auth: "Was the webhook deleted, or its thread? Copy its address again into `url` (channel settings, Integrations), and check `threadId`.",
    rejected: "In a forum channel a post needs a thread: set `threadId`.",
  },
  probe: {
    request: ({ url }) => ({ url, method: "GET" }),
    judge: judgeAnswer,
  },
});

function withQuery(address: string, threadId: string | undefined): string {
  const url = new URL(address);
  url.searchParams.set("wait", "true");
  if (threadId !== undefined) url.searchParams.set("thread_id", threadId);
  return url.href;
}
