import * as z from "zod";
import { isSuccess, parseReply } from "../core/http-port.ts";
import type { Message } from "../core/message.ts";
import { secret, secretUrl } from "../core/secret.ts";
import { botLifecycle, type ChangeRule, defineHttpNotifier } from "./shared/http-notifier.ts";
import { breakBehind } from "./shared/markup.ts";
import { notFrom } from "./shared/reply-rules.ts";
import { serverAddress } from "./shared/settings.ts";

/** Characters that begin markup at any position. */
const anywhere = /[\\&<>`*_~[\]#|$]/gu;
/** Markup at the beginning of a line: indented code, lists, underlined headings. */
const atLineStart = /^ (?= {3})|^\t|(?<=^ {0,3})[-+=]|(?<=^ {0,3}\d{1,9})[.)]/u;
/** Characters that turn a word into a link, and colons, which turn a word into an emoji. */
const withinWords = /(?<=www\d{0,3})\.|(?<=\.\p{L}{2,4})\/|:/u;
/** Web addresses that may stay links. The web client drops a link with a malformed `%` escape, including its text. */
const address = /(?<![\w.+-])https?:\/\/(?:[^\s()%]|%[2-7][0-9A-Fa-f])*[A-Za-z0-9/](?=[.,!?)]*(?:\s|$))/u;
const markup = new RegExp([address, anywhere, atLineStart, withinWords].map(({ source }) => source).join("|"), "gmu");
const urgency = { "needs-you": "important", failed: "important", finished: "standard", info: "standard" } as const;

/**
 * Writes markup as entities, because Mattermost's two Markdown parsers treat backslashes differently. The server turns
 * `<!channel>` into a mention before it parses Markdown. An invisible space after `@` breaks mentions.
 */
function inert(text: string): string {
  const entity = (mark: string) => `&#${mark.charCodeAt(0)};`;
  const inertMark = (found: string) => (found.length > 1 ? found.replace(anywhere, entity) : entity(found));
  return breakBehind(text.replace(markup, inertMark), /@/g);
}

/** Joins title and body; the title is bold unless markup was rejected. */
function formatText({ title, body }: Message, isFallback: boolean): string {
  const head = inert(title);
  return [isFallback ? head : `**${head}**`, inert(body)].filter(Boolean).join("\n");
}

const settingsSchema = z.object({
  url: secretUrl("Incoming webhook, `https://your-server/hooks/…`.").optional(),
  server: serverAddress.optional().describe("Address of your server."),
  token: secret(z.string().min(1)).optional().describe("Access token of the bot."),
  channel: z
    .string()
    .regex(/^[a-z0-9]{26}$/, "must be a channel's id, 26 letters and digits")
    .optional()
    .describe("Id of the channel, from View Info in its menu; the bot must be a member."),
});
type Settings = z.output<typeof settingsSchema>;

/** Builds a request to the server as the bot. https://developers.mattermost.com/api-documentation/ */
const asBot = ({ server, token }: Settings, path: string) => ({
  url: `${server}/api/v4/${path}`,
  headers: { authorization: `Bearer ${token}` },
});

const receiptSchema = z.object({ post: z.string().regex(/^[a-z0-9]{26}$/) });

/** Error ids for a post that is gone or can no longer be edited, by HTTP status. */
const goneIds: Readonly<Record<number, RegExp>> = {
  // Mattermost also sends this id if the post does not exist.
  403: /^api\.context\.permissions\.app_error$/,
  404: /^(app\.post|store\.sql_post)\.get\.app_error$/,
  400: /^api\.post\.(update_post\.permissions_(time_limit|details)|patch_post\.can_not_update_post_in_deleted)\.(app_)?error$/,
};

/** Replaces the text of a post, without a notification. */
const edit: ChangeRule<Settings> = {
  request({ settings, message, isFallback, receipt }) {
    const sent = receiptSchema.safeParse(receipt).data;
    if (!sent || settings.url !== undefined) return undefined;
    const body = JSON.stringify({ message: formatText(message, isFallback) });
    return { method: "PUT", ...asBot(settings, `posts/${sent.post}/patch`), body };
  },
  isGone: (reply) => goneIds[reply.status]?.test(String(parseReply(reply)?.["id"])) ?? false,
};

/** Notifier for a Mattermost channel, through an incoming webhook or as a bot. Only a bot's posts can be edited. */
export const mattermost = defineHttpNotifier({
  name: "mattermost",
  summary: "Posts to a Mattermost channel through an incoming webhook or as a bot.",
  source: "https://docs.mattermost.com/developers/integrate/webhooks/incoming",
  guide: async () => ({
    where: {
      url: "In the product menu: Integrations → Incoming Webhooks → Add Incoming Webhook.",
      server: "It is the address that you open in a browser.",
      token: "In the product menu: Integrations → Bot Accounts → Add Bot Account.",
      channel: "In the channel: its name → View Info.",
    },
    variants: ["Incoming webhook (quickest)", "Bot (can edit its messages)"],
  }),
  audience: "team",
  lifecycle: botLifecycle("server"),
  settings: settingsSchema,
  variants: [["url"], ["server", "token", "channel"]],
  example: { url: "${env:MATTERMOST_WEBHOOK_URL}" },
  // Mattermost splits a text of more than 16,383 characters into several posts. One escaped character may take six.
  limits: { unit: "codePoints", title: 150, body: 2_500 },
  fallbackLimits: { unit: "codePoints", title: 100, body: 500 },
  urgency,
  request({ settings, message, isFallback }) {
    const text = formatText(message, isFallback);
    const isImportant = urgency[message.kind] === "important" && !isFallback;
    const priority = isImportant ? { priority: "important" } : undefined;
    if (settings.url !== undefined) return { url: settings.url, body: JSON.stringify({ text, priority }) };
    const post = { channel_id: settings.channel, message: text, metadata: priority && { priority } };
    return { ...asBot(settings, "posts"), body: JSON.stringify(post) };
  },
  receipt: (reply) => receiptSchema.safeParse({ post: parseReply(reply)?.["id"] }).data,
  edit,
  // A webhook answers `ok`. The API answers with the post, or with the bot's user when the settings are verified.
  classifyReply(reply) {
    const id = parseReply(reply)?.["id"];
    if (isSuccess(reply))
      return reply.body.trim() === "ok" || typeof id === "string" ? undefined : notFrom("Mattermost");
    if (id !== "web.incoming_webhook.invalid.app_error") return undefined;
    const hint = "Check that it was not deleted, and copy its address into `url` again.";
    return { reason: "auth", message: "does not know the webhook", hint };
  },
  hints: {
    auth: "For a webhook, check `url`, and that the webhook exists and webhooks are enabled on the server. For a bot, check `server`, `token` and `channel`, and that the bot is a member of the channel.",
  },
  verification: { request: (settings) => (settings.url === undefined ? asBot(settings, "users/me") : undefined) },
});
