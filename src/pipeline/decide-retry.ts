import type { JournalLine } from "../journal/journal-line.ts";
import { cleanLine } from "../text/clean.ts";
import type { Failure } from "./attempt.ts";
import type { RunContext } from "./context.ts";
import type { PendingDelivery } from "./outgoing.ts";
import { expiresAtMs, nextAttemptAtMs, waitMs } from "./retry-schedule.ts";
import type { Delivery } from "./run-state.ts";

/** Status of a delivery after an attempt, and its journal line. */
export type Decision = Pick<Delivery, "status" | "dueAtMs"> & {
  readonly line: Pick<JournalLine, "status" | "reason">;
};

/** Facts about a failed attempt that decide whether there is a retry. */
interface FailedAttempt {
  readonly failure: Failure;
  /** Number of attempts so far, including this one. */
  readonly attempts: number;
  readonly tookMs: number;
}

/**
 * Duration from which a failed attempt counts as slow, and pauses its notifier: 3 s. A slow attempt blocks one of few
 * slots.
 */
const slowFailureMs = 3_000;
/** Longest pause after a slow failure: 30 s. */
const maxSlowFailurePauseMs = 30_000;

/**
 * Decides what happens to a delivery after a failed attempt. The delivery is skipped if the notifier cannot work on
 * this machine, failed if a retry is useless, expired if a retry would come too late, and otherwise due again later.
 */
export function decideRetry(
  pending: PendingDelivery,
  { failure, attempts, tookMs }: FailedAttempt,
  context: RunContext,
): Decision {
  const { configured } = pending;
  const said = failure.said === undefined ? "" : `; it said: ${cleanLine(failure.said)}`;
  const reason = `${failure.reason}: ${failure.message}${said}`;
  if (failure.reason === "unsupported") return { status: "skipped", line: { status: "skipped", reason } };
  if (!failure.isTransient || configured.notifier.retries === false) {
    return { status: "failed", line: { status: "failed", reason } };
  }
  const nowMs = context.ports.clock.now();
  const dueAtMs = nextDueAtMs(pending, { attempts, askedMs: failure.retryAfterMs }, context);
  const pauseMs =
    failure.retryAfterMs ?? (tookMs < slowFailureMs ? 0 : Math.min(maxSlowFailurePauseMs, dueAtMs - nowMs));
  if (pauseMs > 0) context.pauses.pause(configured, nowMs + pauseMs, nowMs);
  if (dueAtMs <= expiryMs(pending, context)) {
    return { status: "open", dueAtMs, line: { status: "retrying", reason } };
  }
  return { status: "expired", line: { status: "expired", reason: `${reason}; the next attempt would come too late` } };
}

/**
 * Computes the time of the next attempt, Unix milliseconds. A delivery that was released before its time and failed
 * keeps its old schedule, unless the receiver asked for a pause.
 */
function nextDueAtMs(
  pending: PendingDelivery,
  { attempts, askedMs = 0 }: { readonly attempts: number; readonly askedMs: number | undefined },
  context: RunContext,
): number {
  const { delivery, scheduledAtMs } = pending;
  const nowMs = context.ports.clock.now();
  const scheduleAtMs = () => nowMs + waitMs(attempts - (delivery.releases ?? 0), context.config.delivery, askedMs);
  const isAsked = scheduledAtMs !== undefined && askedMs > 0;
  const dueAtMs = isAsked ? nowMs + askedMs : (scheduledAtMs ?? scheduleAtMs());
  return nextAttemptAtMs(dueAtMs, { nowMs, askedMs, expiresMs: expiryMs(pending, context) });
}

/** Computes when a delivery expires, Unix milliseconds, counted from the end of its hold, or else from the event. */
export function expiryMs({ delivery, freshAtMs, event }: PendingDelivery, { config }: RunContext): number {
  return expiresAtMs(Math.max(freshAtMs, delivery.freshAtMs ?? 0), event.kind, config.delivery);
}
