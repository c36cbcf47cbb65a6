import { DeliveryError } from "../core/errors.ts";
import type { Receipt, Resolution } from "../core/notifier-call.ts";
import { type AttemptContext, type AttemptResult, attemptTask, type SomeCall } from "../pipeline/attempt.ts";
import type { OutgoingEvent } from "../pipeline/outgoing.ts";

/** Changes to a sent message, as the verbs of a notifier. */
export type ChangeVerb = "update" | "withdraw" | "notice" | "repeat";

/** Sent message, with the event and facts to show now. */
export interface SentEvent extends OutgoingEvent {
  /** Receipt from the notifier, when the message was sent or last updated. */
  readonly receipt: Receipt;
  /** Set if it is withdrawn because a newer message replaces it, while the event is still open. */
  readonly isSuperseded?: boolean;
  /** Resolved concerns of the message. */
  readonly resolutions?: readonly Resolution[];
}

/**
 * Updates or withdraws a sent message within the notifier's budget. Settings, masking, limits, fallback and failures
 * are the same as for sending. A message that no longer exists is not a failure. Never throws.
 * @returns the new receipt, if the receiver gave the message another id; a failure with the reason `unsupported` if the
 * notifier lacks the verb
 */
export function change(verb: ChangeVerb, sent: SentEvent, context: AttemptContext): Promise<AttemptResult> {
  const { configured, receipt, isSuperseded = false, resolutions = [] } = sent;
  const apply = async (call: SomeCall): Promise<Receipt | undefined> => {
    const changed = { ...call, receipt, isSuperseded, resolutions };
    const { notifier } = configured;
    const { notice, repeats } = notifier.lifecycle ?? {};
    if (verb === "update" && notifier.update) return notifier.update(changed);
    if (verb === "withdraw" && notifier.withdraw) return void (await notifier.withdraw(changed));
    if (verb === "notice" && notice) return void (await notice(changed));
    if (verb === "repeat" && repeats) return void (await repeats.repeat(changed));
    throw new DeliveryError("unsupported", `the notifier cannot ${verb} its messages`);
  };
  const withdrawn = isSuperseded ? "moved" : "done";
  return attemptTask(sent, { act: apply, variant: verb === "withdraw" ? withdrawn : "new" }, context);
}
