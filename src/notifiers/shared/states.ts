import * as z from "zod";
import type { Message } from "../../core/message.ts";
import type { ChangeCall, Receipt } from "../../core/notifier-call.ts";

/** What can become of a message that a program was told: it tells of less, all is over, or a newer message tells it. */
export const messageStates = ["updated", "resolved", "moved"] as const;
export type MessageState = (typeof messageStates)[number];

/** Setting of notifiers whose programs may follow what becomes of a message. */
export const statesSetting = z
  .boolean()
  .default(false)
  .describe(
    "Whether it is also told what becomes of a message: that it is `updated`, since some of what it told is over, `resolved`, or `moved`, since a newer message of the session tells it. Each comes as `agent.alert`, with the `id` of the message and its `state`.",
  );

/** The receipt of a message whose states are to be told; undefined where they are not. */
export function stateReceipt({ states }: { readonly states: boolean }, message: Message): Receipt | undefined {
  return states ? { id: message.id } : undefined;
}

const receiptSchema = z.object({ id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/) });

/**
 * The message as it is to read now, under the id that it was sent with, and its state; undefined where states are not
 * told, or the receipt is none of `stateReceipt`'s.
 */
export function stateMessage(
  verb: "update" | "withdraw",
  {
    settings,
    message,
    receipt,
    isMoved,
  }: Pick<ChangeCall<{ readonly states: boolean }>, "settings" | "message" | "receipt" | "isMoved">,
): { readonly message: Message; readonly state: MessageState } | undefined {
  const id = receiptSchema.safeParse(receipt).data?.id;
  if (id === undefined || !settings.states) return undefined;
  const withdrawn = isMoved ? "moved" : "resolved";
  return { message: { ...message, id }, state: verb === "update" ? "updated" : withdrawn };
}
