import * as z from "zod";
import type { Message } from "../../core/message.ts";
import type { ChangeCall, Receipt } from "../../core/notifier-call.ts";

/** Later states of a message, as reported to a program: changed, resolved, or superseded by a newer message. */
export const messageStates = ["updated", "resolved", "moved"] as const;
export type MessageState = (typeof messageStates)[number];

/** Setting of notifiers that can report a message's later states to a program. */
export const statesSetting = z
  .boolean()
  .default(false)
  .describe(
    "Also report what happens to a message later: `updated` (part of it is resolved), `resolved`, or `moved` (a newer message of the session replaces it). Each arrives as `agent.alert` with the `id` of the message and its `state`.",
  );

/** Makes the receipt of a message if its later states are reported. */
export function stateReceipt({ states }: { readonly states: boolean }, message: Message): Receipt | undefined {
  return states ? { id: message.id } : undefined;
}

const receiptSchema = z.object({ id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/) });

/**
 * Returns the message's current texts under its original id, and its state; undefined if states are not reported or the
 * receipt did not come from `stateReceipt`.
 */
export function stateMessage(
  verb: "update" | "withdraw",
  { settings, message, receipt, isSuperseded }: ChangeCall<{ readonly states: boolean }>,
): { readonly message: Message; readonly state: MessageState } | undefined {
  const id = receiptSchema.safeParse(receipt).data?.id;
  if (id === undefined || !settings.states) return undefined;
  const withdrawn = isSuperseded ? "moved" : "resolved";
  return { message: { ...message, id }, state: verb === "update" ? "updated" : withdrawn };
}
