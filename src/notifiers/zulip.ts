import * as z from "zod";
import { isSuccess, parseReply } from "../core/http-port.ts";
import type { Message } from "../core/message.ts";
import type { Receipt } from "../core/notifier-call.ts";
import { secret } from "../core/secret.ts";
import { cut } from "../text/cut.ts";
import { type ChangeRule, defineHttpNotifier, shortHash } from "./shared/http-notifier.ts";
import { codeSpan, fenced } from "./shared/markup.ts";
import { formatCode, notFrom } from "./shared/reply-rules.ts";
import { basic, serverAddress } from "./shared/settings.ts";

const maxTopicCodePoints = 60;
/**
 * Counts each backtick as three. The two fences of a code block must be longer than any run of backticks in the text, so
 * each backtick may add one character to both.
 */
const countedAs = (text: string) => text.replaceAll("`", "```");

const settingsSchema = z.object({
  server: serverAddress.describe("Address of your organization."),
  email: z.email("must be the bot's email address").describe("Email address of the bot."),
  apiKey: secret(z.string().min(1)).describe("API key of the bot."),
  channel: z.string().min(1).max(60).describe("Name of the channel."),
  topic: z.string().min(1).max(60).optional().describe("Topic, by default the project's name."),
});
type Settings = z.output<typeof settingsSchema>;

/** Builds a request that sends a form as the bot, by default with POST. */
const asBot = ({ server, email, apiKey }: Settings, path: string, form: Readonly<Record<string, string>>) => ({
  url: `${server}/api/v1/${path}`,
  headers: { authorization: basic(email, apiKey), "content-type": "application/x-www-form-urlencoded" },
  body: new URLSearchParams(form).toString(),
});

const buildContent = ({ title, body }: Message) => [codeSpan(title), body && fenced(body)].filter(Boolean).join("\n");

/** Receipt of a message. Ids are unique on one server only, and the settings may have changed to another server. */
const receiptSchema = z.object({ id: z.int().positive(), server: z.string() });
const serverKey = ({ server }: Settings) => shortHash(server, 32);

/** Builds the path of a receipt's message. Undefined if the message is on another server. */
function findPath(settings: Settings, receipt: Receipt): string | undefined {
  const sent = receiptSchema.safeParse(receipt).data;
  return sent?.server === serverKey(settings) ? `messages/${sent.id}` : undefined;
}

/**
 * Replaces the text of a message, without a notification, as long as the organization allows edits: ten minutes by
 * default.
 * https://zulip.com/help/restrict-message-editing-and-deletion
 */
const edit = {
  request({ settings, message, receipt }) {
    const path = findPath(settings, receipt);
    if (path === undefined) return undefined;
    return { method: "PATCH", ...asBot(settings, path, { content: buildContent(message) }) };
  },
  // These codes are general. Only a translated text tells if the message is gone or can no longer be edited.
  isGone: (reply) =>
    reply.status === 400 && ["BAD_REQUEST", "REACTION_ALREADY_EXISTS"].includes(String(parseReply(reply)?.["code"])),
} satisfies ChangeRule<Settings>;

/** Replaces the text if edits are still allowed, and adds a check mark as a reaction, which is always allowed. */
const markAsDone: ChangeRule<Settings> = {
  ...edit,
  request(call) {
    const editing = edit.request(call);
    const reacting = `${findPath(call.settings, call.receipt)}/reactions`;
    return editing && [editing, asBot(call.settings, reacting, { emoji_name: "check" })];
  },
};

/** Notifier for a Zulip channel. The title is a code span, the body a fenced block: no markup, no mentions. */
export const zulip = defineHttpNotifier({
  name: "zulip",
  summary: "Posts to a Zulip channel as a bot.",
  source: "https://zulip.com/api/send-message",
  guide: async () => ({
    where: {
      server: "It is the address that you open in a browser.",
      email: "In Zulip: Personal settings → Bots → Add a new bot; the bot's row shows it.",
      apiKey: "It is in the bot's row, next to its email address.",
      channel: "It is the name in the list of channels.",
    },
  }),
  audience: "team",
  lifecycle: {
    withdrawn: "marked as done",
    condition: "the text only while your organization allows edits, often ten minutes; after that just a check mark",
  },
  settings: settingsSchema,
  example: {
    server: "https://example.zulipchat.com",
    email: "bot@example.com",
    apiKey: "${env:ZULIP_KEY}",
    channel: "agents",
  },
  // Zulip accepts 10,000 code points in total, including fences.
  limits: { unit: "codePoints", title: 200, body: 9_500, countedAs },
  fallbackLimits: { unit: "codePoints", title: 100, body: 500, countedAs },
  request({ settings, message }) {
    const topic = settings.topic ?? cut(message.project, maxTopicCodePoints, "codePoints");
    return asBot(settings, "messages", { type: "stream", to: settings.channel, topic, content: buildContent(message) });
  },
  receipt: (reply, { settings }) =>
    receiptSchema.safeParse({ id: parseReply(reply)?.["id"], server: serverKey(settings) }).data,
  update: edit,
  withdraw: markAsDone,
  // Reads `code`, because `msg` is translated. https://zulip.com/api/rest-error-handling
  classifyReply(reply) {
    const { result, code } = parseReply(reply) ?? {};
    if (code === "STREAM_DOES_NOT_EXIST") {
      const hint = "Check `channel`; the bot must be subscribed to it if it is private.";
      return { reason: "auth", message: "does not know the channel", hint };
    }
    if (!isSuccess(reply) || result === "success") return undefined;
    return result === undefined
      ? notFrom("Zulip")
      : { reason: "rejected", message: `answered with ${formatCode(code)}` };
  },
  hints: { auth: "Check `server`, `email` and `apiKey`, and whether the bot is active." },
  verification: {
    request: ({ server, email, apiKey }) => ({
      url: `${server}/api/v1/users/me`,
      headers: { authorization: basic(email, apiKey) },
    }),
  },
});
