import * as z from "zod";
import { isSuccess, jsonOf } from "../core/http-port.ts";
import type { Message } from "../core/message.ts";
import { secret } from "../core/secret.ts";
import { type ChangeRule, defineHttpNotifier } from "./shared/http-notifier.ts";
import { breakBehind } from "./shared/markup.ts";
import { codeOf, notFrom } from "./shared/reply-rules.ts";
import { serverAddress } from "./shared/server-address.ts";

/** A text without mentions; Telegram makes one of every `@name`. */
const inert = (text: string) => breakBehind(text, /@/g);
const urgency = { "needs-you": "sound", failed: "sound", finished: "sound", info: "silent" } as const;

/** The text of a message: title and body, of which the title is bold unless markup was rejected. */
function textOf({ title, body }: Message, isFallback: boolean) {
  const head = inert(title);
  return {
    text: body === "" ? head : `${head}\n${inert(body)}`,
    entities: isFallback ? undefined : [{ type: "bold", offset: 0, length: head.length }],
    link_preview_options: { is_disabled: true },
  };
}

/** The receipt of a message. Ids count in each chat anew, and the chat in the settings may be another by now. */
const receiptSchema = z.object({ messageId: z.int(), chat: z.int() });
const replySchema = z.object({ result: z.object({ message_id: z.int(), chat: z.object({ id: z.int() }) }) });

/** Replaces the text of a message, about which Telegram tells nobody. */
const edit: ChangeRule<{ readonly server: string; readonly token: string }> = {
  request({ settings: { server, token }, message, isFallback }, receipt) {
    const sent = receiptSchema.safeParse(receipt).data;
    if (!sent) return undefined;
    const payload = { chat_id: sent.chat, message_id: sent.messageId, ...textOf(message, isFallback) };
    return { url: `${server}/bot${token}/editMessageText`, body: JSON.stringify(payload) };
  },
  // It was deleted, is too old or another bot's; or it reads like that already.
  isGone: (reply) =>
    reply.status === 400 &&
    /message (to edit not found|can't be edited|is not modified)|MESSAGE_ID_INVALID/i.test(
      String(jsonOf(reply)?.["description"]),
    ),
};

/** Notifier for a Telegram bot. The text is plain, with no `parse_mode`; an entity beside it makes the title bold. */
export const telegram = defineHttpNotifier({
  name: "telegram",
  summary: "Sends a message through a Telegram bot.",
  source: "https://core.telegram.org/bots/api#sendmessage",
  audience: "person",
  settings: z.object({
    token: secret(z.string().regex(/^\d+:[\w-]{20,}$/, "must be a token from @BotFather, `123456:ABC…`")).describe(
      "The bot's token, from @BotFather.",
    ),
    chatId: z
      .string()
      .regex(/^-?\d+$|^@\w+$/, "must be a number in quotes or `@channel`")
      .describe("The recipient: the id of a person, group or channel, in quotes, or `@channel`."),
    threadId: z
      .string()
      .regex(/^\d+$/, "must be a number in quotes")
      .optional()
      .describe("The id of a topic in the group, in quotes."),
    server: serverAddress
      .default("https://api.telegram.org")
      .describe("The address of your own Bot API server, if you run one."),
  }),
  example: { token: "${env:TELEGRAM_BOT_TOKEN}", chatId: "-1001234567890" },
  // 4,096 UTF-16 units for the whole text.
  limits: { unit: "utf16", title: 256, body: 3_800, countedAs: inert },
  fallbackLimits: { unit: "utf16", title: 128, body: 1_000, countedAs: inert },
  living: { withdrawn: "marked as done" },
  urgency,
  request({ settings: { server, token, chatId, threadId }, message, isFallback }) {
    const payload = {
      chat_id: chatId,
      message_thread_id: threadId === undefined ? undefined : Number(threadId),
      ...textOf(message, isFallback),
      disable_notification: urgency[message.kind] === "silent",
    };
    return { url: `${server}/bot${token}/sendMessage`, body: JSON.stringify(payload) };
  },
  receipt(reply) {
    const sent = replySchema.safeParse(jsonOf(reply)).data?.result;
    return sent && { messageId: sent.message_id, chat: sent.chat.id };
  },
  update: edit,
  // A chat is a record: its messages are marked as done, never deleted.
  withdraw: edit,
  // Reads the description where no code says as much. https://github.com/TelegramBotAPI/errors
  classifyReply(reply) {
    const json = jsonOf(reply);
    if (isSuccess(reply)) return json?.["ok"] === true ? undefined : notFrom("Telegram");
    const movedTo = (json?.["parameters"] as { migrate_to_chat_id?: unknown } | null | undefined)?.migrate_to_chat_id;
    if (movedTo !== undefined) {
      const hint = `Set \`chatId\` to "${codeOf(movedTo)}".`;
      return { reason: "auth", message: "reports that the group has become a supergroup", hint };
    }
    if (/chat not found/i.test(String(json?.["description"]))) {
      const hint = "Check `chatId`: a person must first write to the bot, and a group must have it as a member.";
      return { reason: "auth", message: "does not know the chat", hint };
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
  probe: { request: ({ server, token }) => ({ url: `${server}/bot${token}/getMe` }) },
});
