import * as z from "zod";
import { parseReply } from "../core/http-port.ts";
import type { AnswerButton, NotifierCall } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { secret } from "../core/secret.ts";
import { cut, cutCounted } from "../text/cut.ts";
import { type ChangeRule, defineHttpNotifier } from "./shared/http-notifier.ts";
import { breakBehind } from "./shared/markup.ts";
import { serverAddress } from "./shared/settings.ts";
import {
  buildAnswerData,
  classifyBotReply,
  digestContent,
  methodUrl,
  receiptSchema,
  seenData,
} from "./shared/telegram/bot.ts";
import { findSeen } from "./shared/telegram/seen-presses.ts";

const settingsSchema = z.object({
  token: secret(z.string().regex(/^\d+:[\w-]{20,}$/, "must be a token from @BotFather, `123456:ABC…`")).describe(
    "Token of the bot, from @BotFather.",
  ),
  chatId: z
    .string()
    .regex(/^-?\d+$|^@\w+$/, "must be a number in quotes or `@channel`")
    .describe("Id of a person, group or channel, in quotes, or `@channel`."),
  threadId: z
    .string()
    .regex(/^\d+$/, "must be a number in quotes")
    .optional()
    .describe("Id of a topic in the group, in quotes."),
  server: serverAddress.default("https://api.telegram.org").describe("Address of your own Bot API server."),
  button: z
    .boolean()
    .default(false)
    .describe(
      "Add a button that works like `beckon seen`, for everybody in the chat. No other program, webhook or computer may read the bot's updates.",
    ),
});
type Settings = z.output<typeof settingsSchema>;

/** Breaks mentions, because Telegram turns every `@name` into a mention. */
const inert = (text: string) => breakBehind(text, /@/g);
const urgency = { "needs-you": "sound", failed: "sound", finished: "sound", info: "silent" } as const;

/** Maximum length of a request in one message, in UTF-16 units. A longer request is cut. */
const maxRequestChars = 3_000;
/** Maximum length of a form, in UTF-16 units, which is shown in several messages. */
const maxFormChars = 15_000;
/** Maximum length of a body above the line that says how a request ended, in UTF-16 units. */
const maxEndedChars = 3_500;

/**
 * Joins title and body; the title is bold unless markup was rejected. A request that can be answered takes the body's
 * place, unchanged: in an entity of type `pre` nothing is a mention or a link.
 */
function formatText({ message: { title, body }, isFallback, offer, outcome }: NotifierCall<Settings>) {
  const head = inert(title);
  const bold = { type: "bold", offset: 0, length: head.length };
  const link_preview_options = { is_disabled: true };
  if (offer && !isFallback) {
    const request = cutCounted(offer.lines.join("\n"), maxRequestChars, "utf16");
    const text = [head, request, ...offer.remarks.map(inert)].join("\n");
    return {
      text,
      entities: [bold, { type: "pre", offset: head.length + 1, length: request.length }],
      link_preview_options,
    };
  }
  const shown = outcome === undefined ? [body] : [cut(body, maxEndedChars, "utf16", inert), outcome];
  const text = [head, ...shown.filter((part) => part !== "").map(inert)].join("\n");
  return { text, entities: isFallback ? undefined : [bold], link_preview_options };
}

/**
 * Splits a request that may be allowed into messages, between lines if possible. Only the last one has the remarks. Any
 * other call stays one message.
 */
function splitCall(call: NotifierCall<Settings>): NotifierCall<Settings>[] {
  const { offer, isFallback } = call;
  if (isFallback || !offer?.choices.some(({ choice }) => choice === "allow")) return [call];
  const parts: string[] = [];
  let rest = offer.lines.join("\n");
  while (rest.length > maxRequestChars) {
    const newline = rest.lastIndexOf("\n", maxRequestChars);
    const whole = rest.slice(0, maxRequestChars).isWellFormed() ? maxRequestChars : maxRequestChars - 1;
    const end = newline > 0 ? newline : whole;
    parts.push(rest.slice(0, end));
    rest = rest.slice(newline > 0 ? end + 1 : end);
  }
  const before = parts.map((part) => ({ ...call, offer: { ...offer, lines: [part], remarks: [] } }));
  return [...before, { ...call, offer: { ...offer, lines: [rest] } }];
}

const replySchema = z.object({ result: z.object({ message_id: z.int(), chat: z.object({ id: z.int() }) }) });

/** Builds the buttons below a message, if the message has any. A test message has none, because they would do nothing. */
function buildButtons({ settings, message, thread, labels, isFallback, offer }: NotifierCall<Settings>) {
  if (!thread || isFallback) return undefined;
  if (offer) {
    const makeButton = (button: AnswerButton) => {
      return { text: button.label ?? labels[button.choice] ?? button.choice, callback_data: buildAnswerData(button) };
    };
    const [options, others] = [offer.choices.filter(({ pick }) => pick), offer.choices.filter(({ pick }) => !pick)];
    return { inline_keyboard: [...options.map((option) => [makeButton(option)]), others.map(makeButton)] };
  }
  if (!settings.button || message.kind === "info") return undefined;
  return { inline_keyboard: [[{ text: labels.seen, callback_data: seenData }]] };
}

/** Replaces the text and the button of a message, or removes the button. Telegram sends no notification for an edit. */
function edit(newButtons: (call: NotifierCall<Settings>) => object | undefined): ChangeRule<Settings> {
  return {
    request(call) {
      const sent = receiptSchema.safeParse(call.receipt).data;
      if (!sent) return undefined;
      const target = { chat_id: sent.chat, message_id: sent.messageId };
      const payload = { ...target, ...formatText(call), reply_markup: newButtons(call) };
      return { url: methodUrl(call.settings, "editMessageText"), body: JSON.stringify(payload) };
    },
    // The message was deleted, is too old, belongs to another bot, or already has this text.
    isGone: (reply) =>
      reply.status === 400 &&
      /message (to edit not found|can't be edited|is not modified)|MESSAGE_ID_INVALID/i.test(
        String(parseReply(reply)?.["description"]),
      ),
  };
}

/** Builds the request that sends a message. One that another message follows is silent and has no buttons. */
function buildSend(call: NotifierCall<Settings>, isFollowed: boolean) {
  const { settings, message } = call;
  const { chatId, threadId } = settings;
  const payload = {
    chat_id: chatId,
    message_thread_id: threadId === undefined ? undefined : Number(threadId),
    ...formatText(call),
    disable_notification: isFollowed || urgency[message.kind] === "silent",
    reply_markup: isFollowed ? undefined : buildButtons(call),
  };
  return { url: methodUrl(settings, "sendMessage"), body: JSON.stringify(payload) };
}

/** Interval for reading presses of the button, 5 s. A pressed button shows a spinner until then. */
const updatesPollMs = 5_000;

/** Notifier for a Telegram bot. The text is plain, without `parse_mode`; an entity makes the title bold. */
export const telegram = defineHttpNotifier({
  name: "telegram",
  summary: "Sends a message through a Telegram bot.",
  source: "https://core.telegram.org/bots/api#sendmessage",
  guide: async () => (await import("./shared/guides/telegram.ts")).telegramGuide,
  audience: "person",
  settings: settingsSchema,
  example: { token: "${env:TELEGRAM_BOT_TOKEN}", chatId: "-1001234567890" },
  // The whole text may have 4,096 UTF-16 units.
  limits: { unit: "utf16", title: 256, body: 3_800, countedAs: inert },
  fallbackLimits: { unit: "utf16", title: 128, body: 1_000, countedAs: inert },
  lifecycle: {
    withdrawn: "marked as done",
    buttons: ["seen"],
    answers: {
      maxChars: maxRequestChars,
      maxFormChars,
      reader: async () => (await import("./shared/telegram/answer-presses.ts")).answerPresses,
    },
    reactions: { everyMs: updatesPollMs, isOn: ({ button }) => button, find: findSeen },
  },
  urgency,
  requestsBefore: (call) =>
    splitCall(call)
      .slice(0, -1)
      .map((part) => buildSend(part, true)),
  request: (call) => buildSend(splitCall(call).at(-1) ?? call, false),
  receipt(reply, { offer }) {
    const json = parseReply(reply);
    const sent = replySchema.safeParse(json).data?.result;
    const content = offer && digestContent(json?.["result"]);
    return sent && { messageId: sent.message_id, chat: sent.chat.id, ...omitUndefined({ content }) };
  },
  update: edit((call) => (call.outcome === undefined ? buildButtons(call) : undefined)),
  // A chat is a record: its messages are marked as done, never deleted.
  withdraw: edit(() => undefined),
  classifyReply: classifyBotReply,
  hints: { auth: "Check `token` and `chatId`." },
  verification: { request: (settings) => ({ url: methodUrl(settings, "getMe") }) },
});
