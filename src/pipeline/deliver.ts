import type { ConfiguredNotifier } from "../config/config.ts";
import { isDue } from "../core/due.ts";
import { fault } from "../core/crash-point.ts";
import { attempt, type Failure, type Sending } from "./attempt.ts";
import type { RunContext } from "./context.ts";
import { identityOf, type JournalLine } from "./journal.ts";
import { expiresAtMs, waitMs } from "./schedule.ts";
import type { Delivery } from "./run-state.ts";
import { tellBroken } from "./report-broken.ts";

/** One event on its way to one notifier. */
export interface Job extends Sending {
  readonly soFar: Delivery;
  /** From when on the event's time runs, Unix milliseconds. */
  readonly freshAtMs: number;
}

type Verdict = Pick<Delivery, "status" | "dueAtMs"> & { readonly line: Pick<JournalLine, "status" | "reason"> };

/** Makes the next attempt of a job, unless it is too late or the receiver wants to be left alone. Never throws. */
export async function deliver(job: Job, context: RunContext): Promise<Delivery> {
  const { now } = context.ports.clock;
  const { soFar, configured, event } = job;
  const startedAtMs = now();
  const write = (line: Pick<JournalLine, "status" | "reason" | "attempt" | "tookMs">) =>
    context.journal.write({ ...identityOf(event), notifier: configured.name, ...line });
  if (startedAtMs > expiresAtMs(job.freshAtMs, event.kind, context.config.delivery)) {
    write({ status: "expired", reason: "not delivered in time", attempt: soFar.attempts });
    return { status: "expired", attempts: soFar.attempts };
  }
  const waits = [soFar.dueAtMs ?? 0, context.pauses.untilMs(configured)].filter((at) => !isDue(at, startedAtMs));
  if (waits.length > 0) return { ...soFar, dueAtMs: Math.max(...waits) };
  const broken = context.broken.of(configured);
  if (broken && !isDue(broken.untilMs, startedAtMs)) {
    write({ status: "failed", reason: `not tried: ${broken.reason}` });
    return { status: "failed", attempts: soFar.attempts };
  }
  const { failure, note } = await attempt(job, context);
  const attempts = soFar.attempts + 1;
  const tookMs = now() - startedAtMs;
  const { line, ...delivery } = failure ? judgeFailure(failure, job, { attempts, tookMs }, context) : sent(note);
  write({ ...line, attempt: attempts, tookMs });
  if (!failure) fault("sent");
  await noteHealth(configured, failure, context);
  return { ...delivery, attempts };
}

function sent(note: string | undefined): Verdict {
  return { status: "sent", line: { status: "sent", ...(note !== undefined && { reason: note }) } };
}

/** Remembers a notifier whose receiver does not know it any more, and one that works again. */
async function noteHealth(configured: ConfiguredNotifier, failure: Failure | undefined, context: RunContext) {
  const nowMs = context.ports.clock.now();
  if (!failure) context.broken.mend(configured);
  else if (failure.reason === "auth" && !failure.mayPass) {
    const hint = failure.hint !== undefined && { hint: context.redact(failure.hint) };
    context.broken.note(configured, { reason: context.redact(failure.message), ...hint }, nowMs);
    await tellBroken(configured, nowMs, context);
  }
}

/** Only so many events are on their way at once: one receiver that lets all of them wait would hold up the others. */
const slowMs = 3_000;
const slowRestMs = 30_000;

/** Skipped where it cannot work here, failed where trying again is no use, else when to try again. */
function judgeFailure(
  failure: Failure,
  job: Job,
  { attempts, tookMs }: { readonly attempts: number; readonly tookMs: number },
  context: RunContext,
): Verdict {
  const { delivery } = context.config;
  const nowMs = context.ports.clock.now();
  const reason = `${failure.reason}: ${failure.message}`;
  if (failure.reason === "unsupported") return { status: "skipped", line: { status: "skipped", reason } };
  if (!failure.mayPass || job.configured.notifier.retries === false)
    return { status: "failed", line: { status: "failed", reason } };
  const dueAtMs = nowMs + waitMs(attempts, delivery, failure.retryAfterMs);
  const restMs = failure.retryAfterMs ?? (tookMs < slowMs ? 0 : Math.min(slowRestMs, dueAtMs - nowMs));
  if (restMs > 0) context.pauses.pause(job.configured, nowMs + restMs, nowMs);
  if (dueAtMs <= expiresAtMs(job.freshAtMs, job.event.kind, delivery)) {
    return { status: "open", dueAtMs, line: { status: "retrying", reason } };
  }
  return { status: "expired", line: { status: "expired", reason: `${reason}; the next attempt would come too late` } };
}
