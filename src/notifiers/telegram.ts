import * as z from "zod";
import { defineHttpNotifier } from "./shared/http-notifier.ts";
import type { HttpReply, Refusal } from "../core/http-port.ts";
import { breakBehind } from "./shared/markup.ts";
import { codeOf, isSuccess, jsonOf, notFrom } from "./shared/reply-rules.ts";
import { secret } from "../core/secret.ts";
import { serverAddress } from "./shared/server-address.ts";

/** Telegram links `@name` by itself, and tells that person. */
const inert = (text: string) => breakBehind(text, /@/g);
const urgency = { "needs-you": "sound", failed: "sound", finished: "sound", info: "silent" } as const;

const settings = z.object({
  token: secret(z.string().regex(/^\d+:[\w-]{20,}$/, "must be as @BotFather gives it, `123456:ABC…`")).describe(
    "The bot's token, from @BotFather.",
  ),
  chatId: z
    .string()
    .regex(/^-?\d+$|^@\w+$/, "must be a number in quotes, or `@channel`")
    .describe("Who is told: the number of a person, group or channel, in quotes, or `@channel`."),
  threadId: z.string().regex(/^\d+$/, "must be a number in quotes").optional().describe("A topic of that group."),
  server: serverAddress.default("https://api.telegram.org").describe("A Bot API server of your own."),
});
type Settings = z.output<typeof settings>;

/** A Telegram bot. Nothing is parsed: the text is plain, and what is bold is said beside it. */
export const telegram = defineHttpNotifier({
  name: "telegram",
  summary: "Sends a message through a Telegram bot.",
  source: "https://core.telegram.org/bots/api#sendmessage",
  settings,
  example: { token: "${env:TELEGRAM_BOT_TOKEN}", chatId: "-1001234567890" },
  budgetMs: 10_000,
  // 4,096 UTF-16 units for the whole text.
  limits: { unit: "utf16", title: 256, body: 3_800, countedAs: inert },
  plainer: { unit: "utf16", title: 128, body: 1_000, countedAs: inert },
  urgency,
  request({ settings, message: { title, body, kind }, plain }) {
    const head = inert(title);
    const payload = {
      chat_id: settings.chatId,
      ...(settings.threadId !== undefined && { message_thread_id: Number(settings.threadId) }),
      text: body === "" ? head : `${head}\n${inert(body)}`,
      ...(!plain && { entities: [{ type: "bold", offset: 0, length: head.length }] }),
      link_preview_options: { is_disabled: true },
      disable_notification: urgency[kind] === "silent",
    };
    return { url: method(settings, "sendMessage"), body: JSON.stringify(payload) };
  },
  judge,
  hints: { auth: "Check `token` and `chatId`." },
  probe: { request: (settings) => ({ url: method(settings, "getMe"), method: "GET" }), judge },
});

function method({ server, token }: Settings, name: string): string {
  return `${server}/bot${token}/${name}`;
}

/** What the description says that no code does. https://github.com/TelegramBotAPI/errors */
function judge(reply: HttpReply): Refusal | undefined {
  const json = jsonOf(reply);
  if (isSuccess(reply)) return json?.["ok"] === true ? undefined : notFrom("Telegram");
  const movedTo = (json?.["parameters"] as { migrate_to_chat_id?: unknown } | null | undefined)?.migrate_to_chat_id;
  if (movedTo !== undefined) {
    const hint = `Set its \`chatId\` to "${codeOf(movedTo)}".`;
    return { reason: "auth", message: "says that the group has become a supergroup", hint };
  }
  if (/chat not found/i.test(String(json?.["description"]))) {
    const hint = "Check `chatId`: a person must have written to the bot first, a group must have it as a member.";
    return { reason: "auth", message: "does not know the chat", hint };
  }
  if (reply.status === 401 || reply.status === 404) {
    return { reason: "auth", message: `answered ${reply.status} (the token)`, hint: "Check `token` with @BotFather." };
  }
  if (reply.status !== 403) return undefined;
  return {
    reason: "auth",
    message: "answered 403",
    hint: "The bot was blocked, or is no member of the group any more: start it or add it again, or check `chatId`.",
  };
}
