import * as z from "zod";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import type { HttpReply, Refusal } from "../core/http-port.ts";
import { breakBehind } from "./shared/markup.ts";
import { isSuccess, jsonOf, notFrom } from "./shared/reply-rules.ts";
import { secretUrl } from "../core/secret.ts";

/** What begins markup, wherever it stands. */
const anywhere = /[\\&<>`*_~[\]#|$]/gu;
/** What does at the beginning of a line: indented code, lists, underlined headings. */
const atLineStart = /^ (?= {3})|^\t|(?<=^ {0,3})[-+=]|(?<=^ {0,3}\d{1,9})[.)]/u;
/** What makes addresses of words, and emoji. */
const withinWords = /(?<=www\d{0,3})\.|(?<=\.\p{L}{2,4})\/|:/u;
/** What may stay a link. The web client drops one whose `%` do not stand for characters: text would be lost. */
const address = /(?<![\w.+-])https?:\/\/(?:[^\s()%]|%[2-7][0-9A-Fa-f])*[A-Za-z0-9/](?=[.,!?)]*(?:\s|$))/u;
const markup = new RegExp([address, anywhere, atLineStart, withinWords].map(({ source }) => source).join("|"), "gmu");
const urgency = { "needs-you": "important", failed: "important", finished: "standard", info: "standard" } as const;

/**
 * A text as entities, which both of Mattermost's Markdown parsers read the same way; backslashes they do not, and the
 * server makes `<!channel>` a mention before any of them. A broken `@` mentions nobody.
 */
function inert(text: string): string {
  const entity = (mark: string) => `&#${mark.charCodeAt(0)};`;
  const inertMark = (found: string) => (found.length > 1 ? found.replace(anywhere, entity) : entity(found));
  return breakBehind(text.replace(markup, inertMark), /@/g);
}

/** A Mattermost incoming webhook. */
export const mattermost = defineHttpNotifier({
  name: "mattermost",
  summary: "Posts to a Mattermost channel through an incoming webhook.",
  source: "https://docs.mattermost.com/developers/integrate/webhooks/incoming",
  settings: z.object({ url: secretUrl("The incoming webhook's address, `https://your-server/hooks/…`.") }),
  example: { url: "${env:MATTERMOST_WEBHOOK_URL}" },
  budgetMs: 10_000,
  // 16,383 characters for the whole of it, and one may take six. More would become several posts.
  limits: { unit: "codePoints", title: 150, body: 2_500 },
  plainer: { unit: "codePoints", title: 100, body: 500 },
  urgency,
  request({ settings, message: { title, body, kind }, plain }) {
    const head = inert(title);
    const payload = {
      text: [plain ? head : `**${head}**`, inert(body)].filter(Boolean).join("\n"),
      ...(urgency[kind] === "important" && !plain && { priority: { priority: "important" } }),
    };
    return { url: settings.url, body: JSON.stringify(payload) };
  },
  judge,
  hints: { auth: "Is the webhook there, and are webhooks enabled on the server? Copy its address again into `url`." },
});

function judge(reply: HttpReply): Refusal | undefined {
  if (isSuccess(reply)) return reply.body.trim() === "ok" ? undefined : notFrom("Mattermost");
  if (jsonOf(reply)?.["id"] !== "web.incoming_webhook.invalid.app_error") return undefined;
  return { reason: "auth", message: "knows no such webhook", hint: "Was it deleted? Copy its address again." };
}
