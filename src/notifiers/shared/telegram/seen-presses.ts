import * as z from "zod";
import { toList } from "../../../core/json-value.ts";
import type { ReactionsCall, Receipt } from "../../../core/notifier-call.ts";
import { type BotSettings, callBot, receiptSchema, seenData, updatesLimit } from "./bot.ts";

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
export async function findSeen(call: ReactionsCall<BotSettings>): Promise<Receipt[]> {
  const sent = call.active.flatMap((receipt) => {
    const { data } = receiptSchema.safeParse(receipt);
    return data ? [{ ...data, receipt }] : [];
  });
  if (sent.length === 0) return [];
  const getUpdates = async (payload: object): Promise<Update[]> => {
    const found = await callBot(call, "getUpdates", { timeout: 0, allowed_updates: ["callback_query"], ...payload });
    return toList(found).flatMap((update) => updateSchema.safeParse(update).data ?? []);
  };
  const { presses, lastDoneId } = judgeUpdates(await getUpdates({ limit: updatesLimit }), sent);
  for (const { id } of presses) {
    // Status 400 means that this answer is too late, for example because the press was already answered.
    await callBot(call, "answerCallbackQuery", { callback_query_id: id }, { isGone: ({ status }) => status === 400 });
  }
  if (lastDoneId !== undefined) await getUpdates({ offset: lastDoneId + 1, limit: 1 });
  return [...new Set(presses.map(({ sent }) => sent.receipt))];
}
