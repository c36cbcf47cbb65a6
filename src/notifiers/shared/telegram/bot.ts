import { createHash } from "node:crypto";
import * as z from "zod";
import { type HttpReply, isSuccess, parseReply, type Rejection, type ReplyRules } from "../../../core/http-port.ts";
import type { AnswerButton, CheckCall } from "../../../core/notifier-call.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { formatCode, notFrom } from "../reply-rules.ts";

/** Settings that identify a bot. */
export interface BotSettings {
  readonly server: string;
  readonly token: string;
}

/** Returns the address of a method of the Bot API. Contains the token. */
export function methodUrl({ server, token }: BotSettings, method: string): string {
  return `${server}/bot${token}/${method}`;
}

/** Calls a method of the Bot API and returns the method's result. @throws {DeliveryError} */
export async function callBot(
  { settings, ports, signal }: CheckCall<BotSettings>,
  method: string,
  payload: object,
  rules: ReplyRules = {},
): Promise<unknown> {
  const { ca } = settings as { readonly ca?: string };
  const request = { url: methodUrl(settings, method), body: JSON.stringify(payload), maxReplyBytes: maxUpdatesBytes };
  const reply = await ports.http.post({ ...request, ca, signal, classifyReply: classifyBotReply, ...rules });
  return parseReply(reply)?.["result"];
}

/**
 * Receipt of a message. Ids are unique within a chat only, and the chat in the settings may have changed. `content` is
 * the digest of a message with buttons for an answer.
 */
export const receiptSchema = z.object({ messageId: z.int(), chat: z.int(), content: z.string().optional() });

/** Maximum number of updates in one read. */
export const updatesLimit = 50;

/** Maximum size of a reply with updates, bytes. Each update contains a whole message in escaped form. */
const maxUpdatesBytes = 2_097_152;

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

/** Callback data of the button that marks a message as seen. */
export const seenData = "seen";

/**
 * Builds the callback data of a button that answers a request, at most 47 bytes. Telegram allows 64.
 * https://core.telegram.org/bots/api#inlinekeyboardbutton
 */
export function buildAnswerData({ reference, choice, pick, token }: AnswerButton): string {
  return ["answer", reference, pick ?? choice, token].join(":");
}

/** Parses callback data. Anybody in the chat can make up callback data. */
export function parseButtonData(data: string): "seen" | AnswerButton | undefined {
  if (data === seenData) return "seen";
  const [, reference, choice, token] = /^answer:([\w-]{11}):(allow|deny|\d{1,2}):([\w-]{22})$/.exec(data) ?? [];
  if (reference === undefined || token === undefined) return undefined;
  const pick = Number(choice) || undefined;
  return { reference, choice: choice === "deny" ? "deny" : "allow", token, ...omitUndefined({ pick }) };
}

const contentSchema = z.object({
  text: z.string(),
  reply_markup: z.object({
    inline_keyboard: z.array(z.array(z.object({ text: z.string(), callback_data: z.string() }))),
  }),
});

/**
 * Computes a digest of a message's text and buttons, as Telegram stores them; undefined if the message has no buttons.
 * Whoever has the bot's token can change both.
 */
export function digestContent(message: unknown): string | undefined {
  const { data } = contentSchema.safeParse(message);
  return data && createHash("sha256").update(JSON.stringify(data)).digest("base64url").slice(0, 22);
}
