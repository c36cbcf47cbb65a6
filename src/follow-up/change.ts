import { DeliveryError } from "../core/errors.ts";
import type { Receipt, Resolution } from "../core/notifier-call.ts";
import { type AttemptContext, type AttemptResult, attemptTask, type SomeCall } from "../pipeline/attempt.ts";
import type { OutgoingEvent } from "../pipeline/run-state.ts";

/** Ways to change a sent message. Each is named like the function of a notifier that performs it. */
export type ChangeVerb = "update" | "withdraw" | "notice" | "repeat";

/** Sent message, with the event and facts that the message must show now. */
export interface SentEvent extends OutgoingEvent {
  /** Receipt that the notifier returned when the message was sent or last updated. */
  readonly receipt: Receipt;
  /** True if a newer message replaces this one, although its event is still open. */
  readonly isSuperseded?: boolean;
  /** Resolutions of those of the message's concerns that are already resolved. */
  readonly resolutions?: readonly Resolution[];
}

/**
 * Changes a sent message within the notifier's time budget. Settings, masking, limits, fallback and failures work as in
 * sending. A message that no longer exists is not a failure. Never throws.
 * @returns the new receipt if the receiver gave the message another id; a failure with the reason `unsupported` if the
 * notifier lacks the function
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
