import * as z from "zod";
import { isSuccess, parseReply, type ReplyRules } from "../core/http-port.ts";
import { toList } from "../core/json-value.ts";
import type { Message } from "../core/message.ts";
import type { ReactionsCall, Receipt } from "../core/notifier-call.ts";
import { secret } from "../core/secret.ts";
import { type Ask, type ChangeRule, defineHttpNotifier, type RequestParts } from "./shared/http-notifier.ts";
import { breakBehind } from "./shared/markup.ts";
import { formatCode, notFrom } from "./shared/reply-rules.ts";
import { serverAddress } from "./shared/server-address.ts";

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

/** Joins title and body; the title is bold unless markup was rejected. */
function formatText({ title, body }: Message, isFallback: boolean) {
  const head = inert(title);
  return {
    text: body === "" ? head : `${head}\n${inert(body)}`,
    entities: isFallback ? undefined : [{ type: "bold", offset: 0, length: head.length }],
    link_preview_options: { is_disabled: true },
  };
}

/** Receipt of a message. Ids are unique within a chat only, and the chat in the settings may have changed. */
const receiptSchema = z.object({ messageId: z.int(), chat: z.int() });
const replySchema = z.object({ result: z.object({ message_id: z.int(), chat: z.object({ id: z.int() }) }) });

/** Callback data of the button. */
const seenData = "seen";

/** Builds the button below a message, if the message has a button. */
function buildButton({ settings, message, labels, isFallback }: RequestParts<Settings>) {
  if (!settings.button || !labels || isFallback || message.kind === "info") return undefined;
  return { inline_keyboard: [[{ text: labels.seen, callback_data: seenData }]] };
}

/** Replaces the text and the button of a message, or removes the button. Telegram sends no notification for an edit. */
function edit(newButton: (parts: RequestParts<Settings>) => object | undefined): ChangeRule<Settings> {
  return {
    request(parts, receipt) {
      const { server, token } = parts.settings;
      const sent = receiptSchema.safeParse(receipt).data;
      if (!sent) return undefined;
      const text = formatText(parts.message, parts.isFallback);
      const payload = { chat_id: sent.chat, message_id: sent.messageId, ...text, reply_markup: newButton(parts) };
      return { url: `${server}/bot${token}/editMessageText`, body: JSON.stringify(payload) };
    },
    // The message was deleted, is too old, belongs to another bot, or already has this text.
    isGone: (reply) =>
      reply.status === 400 &&
      /message (to edit not found|can't be edited|is not modified)|MESSAGE_ID_INVALID/i.test(
        String(parseReply(reply)?.["description"]),
      ),
  };
}

/** Maximum number of updates in one read. */
const updatesLimit = 50;
/** Maximum size of one read, bytes. Each update contains a whole message in escaped form. */
const maxUpdatesBytes = 2_097_152;
/** Interval for reading updates, 5 s. A pressed button shows a spinner until its update is read. */
const updatesPollMs = 5_000;

/** Update for the bot. `callback_query` is set only if the update is a press of beckon's button. */
const updateSchema = z.object({
  update_id: z.int(),
  callback_query: z
    .object({
      id: z.string(),
      data: z.literal(seenData),
      message: z.object({ message_id: z.int(), chat: z.object({ id: z.int() }) }),
    })
    .optional()
    .catch(undefined),
});
type Update = z.output<typeof updateSchema>;

/** Message that is still visible, with the contents of its receipt. */
interface Sent extends z.output<typeof receiptSchema> {
  readonly receipt: Receipt;
}

/**
 * Finds the button presses on visible messages, and the id of the last update that may be confirmed. Updates may be
 * confirmed up to the first press that must stay. A press on a visible message stays; so does a press in another chat,
 * because another entry with the same bot may ask about it. If the read is full, presses in other chats are dropped,
 * because they would hide all later presses for a day.
 */
function judgeUpdates(updates: readonly Update[], active: readonly Sent[]) {
  const isFull = updates.length >= updatesLimit;
  const judged = updates.map(({ update_id: id, callback_query: press }) => {
    const inChat = active.filter(({ chat }) => chat === press?.message.chat.id);
    const sent = inChat.find(({ messageId }) => messageId === press?.message.message_id);
    return {
      id,
      isDone: !press || (!sent && (isFull || inChat.length > 0)),
      presses: press && sent ? [{ id: press.id, sent }] : [],
    };
  });
  const firstOpen = judged.findIndex(({ isDone }) => !isDone);
  const done = firstOpen === -1 ? judged : judged.slice(0, firstOpen);
  return { presses: judged.flatMap(({ presses }) => presses), lastDoneId: done.at(-1)?.id };
}

/** Finds the messages whose button was pressed. Finished updates are confirmed, which removes them at Telegram. */
async function findPressed({ settings, active }: ReactionsCall<Settings>, ask: Ask): Promise<Receipt[]> {
  const sent = active.flatMap((receipt) => {
    const { data } = receiptSchema.safeParse(receipt);
    return data ? [{ ...data, receipt }] : [];
  });
  if (sent.length === 0) return [];
  const post = (method: string, payload: object, rules: ReplyRules = {}) => {
    const url = `${settings.server}/bot${settings.token}/${method}`;
    return ask({ url, body: JSON.stringify(payload), maxReplyBytes: maxUpdatesBytes }, rules);
  };
  const getUpdates = async (payload: object): Promise<Update[]> => {
    const reply = await post("getUpdates", { timeout: 0, allowed_updates: ["callback_query"], ...payload });
    return toList(parseReply(reply)?.["result"]).flatMap((update) => updateSchema.safeParse(update).data ?? []);
  };
  const { presses, lastDoneId } = judgeUpdates(await getUpdates({ limit: updatesLimit }), sent);
  for (const { id } of presses) {
    // Status 400 means that this answer is too late, for example because the press was already answered.
    await post("answerCallbackQuery", { callback_query_id: id }, { isGone: ({ status }) => status === 400 });
  }
  if (lastDoneId !== undefined) await getUpdates({ offset: lastDoneId + 1, limit: 1 });
  return [...new Set(presses.map(({ sent }) => sent.receipt))];
}

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
    reactions: { everyMs: updatesPollMs, isOn: ({ button }) => button, find: findPressed },
  },
  urgency,
  request(parts) {
    const { settings, message, isFallback } = parts;
    const { server, token, chatId, threadId } = settings;
    const payload = {
      chat_id: chatId,
      message_thread_id: threadId === undefined ? undefined : Number(threadId),
      ...formatText(message, isFallback),
      disable_notification: urgency[message.kind] === "silent",
      reply_markup: buildButton(parts),
    };
    return { url: `${server}/bot${token}/sendMessage`, body: JSON.stringify(payload) };
  },
  receipt(reply) {
    const sent = replySchema.safeParse(parseReply(reply)).data?.result;
    return sent && { messageId: sent.message_id, chat: sent.chat.id };
  },
  update: edit(buildButton),
  // A chat is a record: its messages are marked as done, never deleted.
  withdraw: edit(() => undefined),
  // Reads the description if no code identifies the error. https://github.com/TelegramBotAPI/errors
  classifyReply(reply) {
    const json = parseReply(reply);
    if (isSuccess(reply)) return json?.["ok"] === true ? undefined : notFrom("Telegram");
    const newChatId = (json?.["parameters"] as { migrate_to_chat_id?: unknown } | null | undefined)?.migrate_to_chat_id;
    if (newChatId !== undefined) {
      const hint = `Set \`chatId\` to "${formatCode(newChatId)}".`;
      return { reason: "auth", message: "reports that the group has become a supergroup", hint };
    }
    if (/chat not found/i.test(String(json?.["description"]))) {
      const hint = "Check `chatId`: a person must first write to the bot, and a group must have it as a member.";
      return { reason: "auth", message: "does not know the chat", hint };
    }
    if (reply.status === 409) {
      const hint = "Take `button` out, or give beckon a bot of its own; a webhook must be deleted.";
      return { reason: "auth", message: "answered 409: something else reads this bot's updates", hint };
    }
    if (reply.status === 401 || reply.status === 404) {
      const hint = "Check `token` with @BotFather.";
      return { reason: "auth", message: `answered ${reply.status} (wrong token)`, hint };
    }
    if (reply.status !== 403) return undefined;
    const hint = "The bot was blocked or removed from the group: start it or add it again, or check `chatId`.";
    return { reason: "auth", message: "answered 403", hint };
  },
  hints: { auth: "Check `token` and `chatId`." },
  verification: { request: ({ server, token }) => ({ url: `${server}/bot${token}/getMe` }) },
});
