import { DeliveryError } from "../core/errors.ts";
import type { Ending, Receipt } from "../core/notifier-call.ts";
import { type AttemptContext, type AttemptResult, attemptTask, type SomeCall } from "../pipeline/attempt.ts";
import type { OutgoingEvent } from "../pipeline/outgoing.ts";

/** What can be done about a message that was sent: the verbs of a notifier. */
export type ChangeVerb = "update" | "withdraw" | "notice" | "repeat";

/** A message that was sent, and the event and facts that it is to say now. */
export interface SentEvent extends OutgoingEvent {
  /** What its notifier returned when it was sent, or last updated. */
  readonly receipt: Receipt;
  /** Set where it is withdrawn since a newer message took its place, while the event is still open. */
  readonly isMoved?: boolean;
  /** What is over of that which the message told. */
  readonly over?: readonly Ending[];
}

/**
 * Updates a message that was sent, or withdraws it, within the notifier's budget; settings, masking, limits, fallback
 * and failures are those of an attempt to send. A message that is gone is no failure. Never throws.
 * @returns the receipt that replaces the old one, where the receiver gave the message another id; a failure with the
 * reason `unsupported` where the notifier does not have the verb
 */
export function change(verb: ChangeVerb, sent: SentEvent, context: AttemptContext): Promise<AttemptResult> {
  const { configured, receipt, isMoved = false, over = [] } = sent;
  const act = async (call: SomeCall): Promise<Receipt | undefined> => {
    const changed = { ...call, receipt, isMoved, over };
    const { notifier } = configured;
    const { notice, repeats } = notifier.lifecycle ?? {};
    if (verb === "update" && notifier.update) return notifier.update(changed);
    if (verb === "withdraw" && notifier.withdraw) return void (await notifier.withdraw(changed));
    if (verb === "notice" && notice) return void (await notice(changed));
    if (verb === "repeat" && repeats) return void (await repeats.repeat(changed));
    throw new DeliveryError("unsupported", `the notifier cannot ${verb} its messages`);
  };
  const withdrawn = isMoved ? "moved" : "done";
  return attemptTask(sent, { act, look: verb === "withdraw" ? withdrawn : "new" }, context);
}
