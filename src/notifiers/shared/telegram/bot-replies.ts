import { type HttpReply, isSuccess, parseReply, type Rejection } from "../../../core/http-port.ts";
import { formatCode, notFrom } from "../reply-rules.ts";

/**
 * Classifies a reply of the Bot API. Reads the description if no code identifies the error.
 * https://github.com/TelegramBotAPI/errors
 */
export function classifyBotReply(reply: HttpReply): Rejection | undefined {
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
    const hint = "Give beckon a bot of its own, with its own `token`; a webhook must be deleted.";
    return { reason: "auth", message: "answered 409: something else reads this bot's updates", hint };
  }
  if (reply.status === 401 || reply.status === 404) {
    const hint = "Check `token` with @BotFather.";
    return { reason: "auth", message: `answered ${reply.status} (wrong token)`, hint };
  }
  if (reply.status !== 403) return undefined;
  const hint = "The bot was blocked or removed from the group: start it or add it again, or check `chatId`.";
  return { reason: "auth", message: "answered 403", hint };
}
