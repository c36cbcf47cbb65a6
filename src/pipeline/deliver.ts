import type { ConfiguredNotifier } from "../config/config.ts";
import { cleanLine } from "../core/clean.ts";
import { crashPoint } from "../core/crash-point.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { isDue } from "../spool/entry.ts";
import { attempt, type Failure, type OutgoingEvent } from "./attempt.ts";
import type { RunContext } from "./context.ts";
import { identityOf, type JournalLine } from "./journal.ts";
import { reportBroken } from "./notices.ts";
import type { Delivery } from "./run-state.ts";
import { expiresAtMs, waitMs } from "./schedule.ts";

/** An event on its way to a notifier, and how far it has come. */
export interface PendingDelivery extends OutgoingEvent {
  readonly delivery: Delivery;
  /** When the event's expiry begins to count, Unix milliseconds. */
  readonly freshAtMs: number;
}

type DeliveryLine = Pick<JournalLine, "status" | "reason" | "attempt" | "tookMs">;

/** What becomes of a delivery after an attempt, and its line in the journal. */
type Decision = Pick<Delivery, "status" | "dueAtMs"> & { readonly line: Pick<JournalLine, "status" | "reason"> };

/**
 * Makes the next attempt of a delivery, unless it has expired, is not due yet, or its notifier is paused or broken. Waits
 * for one of the notifier's slots. Returns how far it has come now; undefined if it is to go back to the spool as it is.
 * Never throws.
 */
export async function deliver(pending: PendingDelivery, context: RunContext): Promise<Delivery | undefined> {
  const { configured, event } = pending;
  const untried = withoutAttempt(pending, context);
  if (untried) return untried;
  const slot = await context.slots.take(configured, event.kind);
  if (slot === "recalled") return undefined;
  if (slot === "evicted") return expire(pending, "evicted: too many messages wait for this notifier", context);
  try {
    return withoutAttempt(pending, context) ?? (await tryOnce(pending, context));
  } finally {
    context.slots.release(configured);
  }
}

/** What comes of a delivery that is not to be attempted now; undefined where it is. */
function withoutAttempt(pending: PendingDelivery, context: RunContext): Delivery | undefined {
  const { delivery, configured, event } = pending;
  const nowMs = context.ports.clock.now();
  if (nowMs > expiresAtMs(pending.freshAtMs, event.kind, context.config.delivery)) {
    return expire(pending, "not delivered in time", context);
  }
  const waits = [delivery.dueAtMs ?? 0, context.pauses.untilMs(configured)].filter((at) => !isDue(at, nowMs));
  if (waits.length > 0) return { ...delivery, dueAtMs: Math.max(...waits) };
  const broken = context.broken.of(configured);
  if (!broken || isDue(broken.untilMs, nowMs)) return undefined;
  write(pending, { status: "failed", reason: `not tried: ${broken.reason}` }, context);
  return { status: "failed", attempts: delivery.attempts };
}

function expire(pending: PendingDelivery, reason: string, context: RunContext): Delivery {
  const { attempts } = pending.delivery;
  write(pending, { status: "expired", reason, attempt: attempts }, context);
  return { status: "expired", attempts };
}

function write({ event, configured }: PendingDelivery, line: DeliveryLine, { journal }: RunContext): void {
  journal.write({ ...identityOf(event), notifier: configured.name, ...line });
}

async function tryOnce(pending: PendingDelivery, context: RunContext): Promise<Delivery> {
  const { delivery, configured } = pending;
  const { now } = context.ports.clock;
  const startedAtMs = now();
  const { failure, note } = await attempt(pending, context);
  const attempts = delivery.attempts + 1;
  const tookMs = now() - startedAtMs;
  const sent: Decision = { status: "sent", line: { status: "sent", ...omitUndefined({ reason: note }) } };
  const { line, ...next } = failure ? decideRetry(failure, pending, { attempts, tookMs }, context) : sent;
  write(pending, { ...line, attempt: attempts, tookMs }, context);
  if (!failure) crashPoint("sent");
  await noteHealth(configured, failure, context);
  return { ...next, attempts };
}

/** Records, and reports to the user, a notifier that its receiver rejects; forgets one that works again. */
async function noteHealth(configured: ConfiguredNotifier, failure: Failure | undefined, context: RunContext) {
  const nowMs = context.ports.clock.now();
  if (!failure) context.broken.forget(configured);
  else if (failure.reason === "auth" && !failure.isTransient) {
    const hint = failure.hint === undefined ? undefined : context.redact(failure.hint);
    context.broken.note(configured, { reason: context.redact(failure.message), ...omitUndefined({ hint }) }, nowMs);
    await reportBroken(configured, nowMs, context);
  }
}

/** A failed attempt that took longer pauses its notifier, whose slots are few; three seconds. */
const slowMs = 3_000;
/** Longest pause after a slow failure; thirty seconds. */
const slowPauseMs = 30_000;

/** Skipped where the notifier cannot work here, failed where another attempt is no use, else due again, or expired. */
function decideRetry(
  failure: Failure,
  { configured, event, freshAtMs }: PendingDelivery,
  { attempts, tookMs }: { readonly attempts: number; readonly tookMs: number },
  context: RunContext,
): Decision {
  const settings = context.config.delivery;
  const nowMs = context.ports.clock.now();
  const said = failure.said === undefined ? "" : `; it said: ${cleanLine(failure.said)}`;
  const reason = `${failure.reason}: ${failure.message}${said}`;
  if (failure.reason === "unsupported") return { status: "skipped", line: { status: "skipped", reason } };
  if (!failure.isTransient || configured.notifier.retries === false) {
    return { status: "failed", line: { status: "failed", reason } };
  }
  const dueAtMs = nowMs + waitMs(attempts, settings, failure.retryAfterMs);
  const pauseMs = failure.retryAfterMs ?? (tookMs < slowMs ? 0 : Math.min(slowPauseMs, dueAtMs - nowMs));
  if (pauseMs > 0) context.pauses.pause(configured, nowMs + pauseMs, nowMs);
  if (dueAtMs <= expiresAtMs(freshAtMs, event.kind, settings)) {
    return { status: "open", dueAtMs, line: { status: "retrying", reason } };
  }
  return { status: "expired", line: { status: "expired", reason: `${reason}; the next attempt would come too late` } };
}
