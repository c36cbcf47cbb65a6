import * as z from "zod";
import { isSuccess, jsonOf } from "../core/http-port.ts";
import { secretUrl } from "../core/secret.ts";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import { breakBehind } from "./shared/markup.ts";
import { notFrom } from "./shared/reply-rules.ts";

/** Characters that begin markup anywhere. */
const anywhere = /[\\&<>`*_~[\]#|$]/gu;
/** Markup at the beginning of a line: indented code, lists, underlined headings. */
const atLineStart = /^ (?= {3})|^\t|(?<=^ {0,3})[-+=]|(?<=^ {0,3}\d{1,9})[.)]/u;
/** Characters within words that make them links, and colons, which make emoji. */
const withinWords = /(?<=www\d{0,3})\.|(?<=\.\p{L}{2,4})\/|:/u;
/** Addresses that may stay links. The web client drops a link with a malformed `%` escape, and its text with it. */
const address = /(?<![\w.+-])https?:\/\/(?:[^\s()%]|%[2-7][0-9A-Fa-f])*[A-Za-z0-9/](?=[.,!?)]*(?:\s|$))/u;
const markup = new RegExp([address, anywhere, atLineStart, withinWords].map(({ source }) => source).join("|"), "gmu");
const urgency = { "needs-you": "important", failed: "important", finished: "standard", info: "standard" } as const;

/**
 * A text whose markup is written as entities, which both of Mattermost's Markdown parsers read alike (backslashes they
 * do not, and the server turns `<!channel>` into a mention before it parses). A space behind `@` breaks mentions.
 */
function inert(text: string): string {
  const entity = (mark: string) => `&#${mark.charCodeAt(0)};`;
  const inertMark = (found: string) => (found.length > 1 ? found.replace(anywhere, entity) : entity(found));
  return breakBehind(text.replace(markup, inertMark), /@/g);
}

export const mattermost = defineHttpNotifier({
  name: "mattermost",
  summary: "Posts to a Mattermost channel through an incoming webhook.",
  source: "https://docs.mattermost.com/developers/integrate/webhooks/incoming",
  audience: "team",
  settings: z.object({ url: secretUrl("The incoming webhook's address, `https://your-server/hooks/…`.") }),
  example: { url: "${env:MATTERMOST_WEBHOOK_URL}" },
  // 16,383 characters in all, and an escaped one may take six. A longer text would become several posts.
  limits: { unit: "codePoints", title: 150, body: 2_500 },
  fallbackLimits: { unit: "codePoints", title: 100, body: 500 },
  urgency,
  request({ settings, message: { title, body, kind }, isFallback }) {
    const head = inert(title);
    const payload = {
      text: [isFallback ? head : `**${head}**`, inert(body)].filter(Boolean).join("\n"),
      priority: urgency[kind] === "important" && !isFallback ? { priority: "important" } : undefined,
    };
    return { url: settings.url, body: JSON.stringify(payload) };
  },
  classifyReply(reply) {
    if (isSuccess(reply)) return reply.body.trim() === "ok" ? undefined : notFrom("Mattermost");
    if (jsonOf(reply)?.["id"] !== "web.incoming_webhook.invalid.app_error") return undefined;
    const hint = "Check that it was not deleted, and copy its address into `url` again.";
    return { reason: "auth", message: "does not know the webhook", hint };
  },
  hints: {
    auth: "Check that the webhook exists and webhooks are enabled on the server, and copy its address into `url` again.",
  },
});
