import * as z from "zod";
import { asText, type JsonObject, toList, toObject } from "../../../core/json-value.ts";
import type { PressReader } from "../../../core/notifier.ts";
import type { ButtonPress } from "../../../core/notifier-call.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { type BotSettings, callBot, digestContent, methodUrl, parseButtonData, updatesLimit } from "./bot.ts";

/** Seconds for which Telegram holds a request for updates open. At most 50 are allowed. */
const longPollSeconds = 25;

/** Accounts behind which several people may act: anonymous group administrators, channels, and Telegram itself. */
const sharedUsers: readonly number[] = [1_087_968_824, 136_817_688, 777_000];

/** Fields of a press that are used. https://core.telegram.org/bots/api#callbackquery */
const pressSchema = z.object({
  id: z.string(),
  from: z.object({ id: z.int().positive(), is_bot: z.boolean(), first_name: z.string().optional() }),
  inline_message_id: z.unknown().optional(),
  sender_chat: z.unknown().optional(),
  data: z.string().optional(),
  message: z
    .object({
      message_id: z.int(),
      chat: z.object({ id: z.int() }),
      date: z.int(),
      edit_date: z.unknown().optional(),
      sender_chat: z.unknown().optional(),
      from: z.object({ id: z.int() }).optional(),
    })
    .optional(),
});
type Press = z.output<typeof pressSchema>;

/** Finds the reason why a press does not prove who pressed which button; undefined if there is none. */
function findProblem({ from, message, inline_message_id, sender_chat }: Press, botId: number): string | undefined {
  if (inline_message_id !== undefined) return "its message was sent by a person through the bot";
  if (!message || message.date === 0) return "its message can no longer be read";
  if (sender_chat !== undefined || message.sender_chat !== undefined) return "a chat pressed or sent it, not a person";
  if (message.from?.id !== botId) return "its message is from another sender";
  if (message.edit_date !== undefined) return "its message has been changed";
  return from.is_bot || sharedUsers.includes(from.id) ? "it was not pressed by a single person" : undefined;
}

/** Reads a press from an update; undefined for any other update. A damaged press keeps its id, to be acknowledged. */
function readPress({ callback_query: query }: JsonObject, botId: number): ButtonPress | undefined {
  if (query === undefined) return undefined;
  const { data: press } = pressSchema.safeParse(query);
  if (!press) return { id: asText(toObject(query)["id"]) ?? "", problem: "it is malformed" };
  const { id, from, message, data = "" } = press;
  const content = digestContent(toObject(query)["message"]);
  const button = parseButtonData(data);
  const receipt = message && {
    messageId: message.message_id,
    chat: message.chat.id,
    ...(button !== "seen" && omitUndefined({ content })),
  };
  const problem = button === "seen" ? undefined : findProblem(press, botId); // everybody in the chat may press it
  return { id, user: from.id, ...omitUndefined({ userName: from.first_name, receipt, button, problem }) };
}

/** Telegram remembers the kinds of updates that were last asked for, so every request names them. */
const kinds = { allowed_updates: ["callback_query"] } as const;

/**
 * Reader of the pressed buttons of a bot. A request for later updates confirms the earlier ones.
 * https://core.telegram.org/bots/api#getupdates
 */
export const answerPresses: PressReader<BotSettings> = {
  readMs: longPollSeconds * 1_000,
  account: (settings) => methodUrl(settings, ""),
  async read(call, cursor) {
    const payload = { timeout: longPollSeconds, limit: updatesLimit, ...kinds, ...omitUndefined({ offset: cursor }) };
    const all = toList(await callBot(call, "getUpdates", payload)).map(toObject);
    const isNew = ({ update_id: id }: JsonObject) => Number.isSafeInteger(id) && Number(id) >= (cursor ?? 0);
    const updates = all.filter(isNew);
    const botId = Number.parseInt(call.settings.token, 10);
    const presses = updates.flatMap((update) => readPress(update, botId) ?? []);
    const next = Math.max(...updates.map(({ update_id: id }) => Number(id))) + 1;
    return updates.length === 0 ? { presses } : { presses, cursor: next };
  },
  async confirm(call, cursor) {
    await callBot(call, "getUpdates", { timeout: 0, limit: 1, offset: cursor, ...kinds });
  },
  async acknowledge(call, { id }, text) {
    const payload = { callback_query_id: id, ...omitUndefined({ text }) };
    // Status 400 means that the press is too old, or was acknowledged before.
    await callBot(call, "answerCallbackQuery", payload, { isGone: ({ status }) => status === 400 });
  },
};
