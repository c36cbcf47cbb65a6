import { type Alert, changeOpen, isOpen, newestMessageAtMs, resolved } from "../attention/alert.ts";
import { isSampleSession } from "../core/vocabulary.ts";
import type { RunContext } from "../pipeline/context.ts";
import { canWithdraw } from "./observe.ts";

/** Time from a sample event, or from its newest message if that is later, until its messages are withdrawn: 10 s. */
const messageLifetimeMs = 10_000;
/** Minimum time that a sample's alert is kept, because its messages may be late: one minute. */
const alertLifetimeMs = 60_000;

/**
 * Resolves a sample event ten seconds after its newest message, or one minute after the event if no message was sent.
 * Forgets the sample later. Journals nothing.
 * @param isPending true while a message about the sample still has to be withdrawn
 */
export function endSample(alert: Alert, isPending: boolean, { alerts, ports }: Pick<RunContext, "alerts" | "ports">) {
  const nowMs = ports.clock.now();
  const hasPassed = (sinceMs: number, ms: number): boolean => Math.abs(nowMs - sinceMs) >= ms;
  if (isOpenSample(alert)) {
    const sentAtMs = newestMessageAtMs(alert);
    const isEnded =
      sentAtMs > 0
        ? hasPassed(Math.max(alert.lastAtMs, sentAtMs), messageLifetimeMs)
        : hasPassed(alert.lastAtMs, alertLifetimeMs);
    if (isEnded) alerts.put(changeOpen(alert, (concern) => resolved(concern, "sample", nowMs)));
  } else if (hasPassed(alert.lastAtMs, alertLifetimeMs) && !isPending) alerts.remove(alert.key);
}

/** True if an alert is an open sample with a visible message that can be withdrawn. */
export function isShownSample(alert: Alert, context: Pick<RunContext, "config">): boolean {
  return isOpenSample(alert) && alert.concerns.some((concern) => canWithdraw(concern, context));
}

function isOpenSample({ sessionId, concerns }: Alert): boolean {
  return isSampleSession(sessionId) && concerns.some(isOpen);
}
