import * as z from "zod";
import { isSuccess, jsonOf } from "../core/http-port.ts";
import { secret } from "../core/secret.ts";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import { breakBehind } from "./shared/markup.ts";
import { codeOf, notFrom } from "./shared/reply-rules.ts";
import { serverAddress } from "./shared/server-address.ts";

/** A text without mentions; Telegram makes one of every `@name`. */
const inert = (text: string) => breakBehind(text, /@/g);
const urgency = { "needs-you": "sound", failed: "sound", finished: "sound", info: "silent" } as const;

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
  urgency,
  request({ settings: { server, token, chatId, threadId }, message: { title, body, kind }, isFallback }) {
    const head = inert(title);
    const payload = {
      chat_id: chatId,
      message_thread_id: threadId === undefined ? undefined : Number(threadId),
      text: body === "" ? head : `${head}\n${inert(body)}`,
      entities: isFallback ? undefined : [{ type: "bold", offset: 0, length: head.length }],
      link_preview_options: { is_disabled: true },
      disable_notification: urgency[kind] === "silent",
    };
    return { url: `${server}/bot${token}/sendMessage`, body: JSON.stringify(payload) };
  },
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
