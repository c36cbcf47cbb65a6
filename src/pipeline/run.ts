import { threadKey, turnKey } from "../attention/session-keys.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { crashPoint } from "../files/crash-point.ts";
import type { JournalLine } from "../journal/journal-line.ts";
import type { Claim } from "../spool/claim.ts";
import { decodeRecord, type SpoolRecord } from "../spool/record.ts";
import type { Settlement } from "../spool/settle.ts";
import { accept, type EarlierJudgements } from "./accept.ts";
import { noteRelayedStates } from "./alerts.ts";
import { attend } from "./attend.ts";
import type { RunContext } from "./context.ts";
import { deliverAll } from "./deliver.ts";
import type { KnownEvent } from "./judge.ts";
import { reportConfigErrors } from "./notices.ts";
import { readRecord } from "./parse.ts";
import { type Delivery, type RunState, readPostponement, readState, withState } from "./run-state.ts";

/**
 * Runs one event from the spool through all steps: read → accept (look up, judge, note, route) → plan → attend →
 * deliver. The events of a session are accepted one after another, in order of arrival, but their deliveries are
 * independent.
 * @returns the decision about the event's spool record
 */
export async function run(claim: Claim, context: RunContext): Promise<Settlement> {
  const record = decodeRecord(claim.bytes);
  const reported = reportConfigErrors(record?.header ?? {}, context);
  const [settlement] = await Promise.all([runEvent(record, claim, context), reported]);
  return settlement;
}

async function runEvent(record: SpoolRecord | undefined, claim: Claim, context: RunContext): Promise<Settlement> {
  const earlierRun = record && readState(record);
  const { postponedAtMs, postponedFor } = (record && readPostponement(record)) ?? {};
  const atMs = earlierRun?.atMs ?? postponedAtMs ?? claim.takenInAtMs;
  const read = await readRecord(record, claim, atMs, context);
  if (!record || !read) return { next: "dead" };
  crashPoint("parsed");
  if ("states" in read) {
    noteRelayedStates(read.host, read.states, context);
    return { next: "done" };
  }
  const isNew = claim.crashes === 0 && !earlierRun && !postponedFor;
  await context.answers?.note({ record, event: read.event, isNew }, context);
  const journalled = claim.crashes > 0 ? context.journal.readLines(claim.id) : [];
  try {
    return await acceptAndDeliver(record, read, { earlierRun, postponedFor, journalled }, context);
  } finally {
    context.alerts.flush(threadKey(read.event)); // a settled event is not run again
  }
}

async function acceptAndDeliver(
  record: SpoolRecord,
  read: KnownEvent,
  { earlierRun, ...earlier }: EarlierJudgements & { readonly earlierRun: RunState | undefined },
  context: RunContext,
): Promise<Settlement> {
  const { event } = read;
  const acceptInTurn = () => context.turns.run(turnKey(event), () => accept(read, earlier, context));
  const state = earlierRun ?? (await acceptInTurn());
  if (!state) return { next: "done" };
  if ("untilMs" in state) {
    const postponed = withState(record, { postponedAtMs: event.atMs, postponedFor: state.reason });
    return { next: "wait", dueAtMs: state.untilMs, record: postponed };
  }
  // For a postponed event, the expiry counts from now.
  const fresh = !earlier.postponedFor || earlierRun ? state : { ...state, freshAtMs: context.ports.clock.now() };
  const { kind, message, brief, project, projectDir, otherPaths, isUnattended: isAwaited } = fresh;
  const found = omitUndefined({ message, brief, project, projectDir, otherPaths, isAwaited });
  const judged = { ...event, kind, ...found };
  const attended = await attend(judged, markSent(fresh, earlier.journalled), context);
  const deliveries = await deliverAll(judged, attended, context);
  return settleRecord(record, { ...fresh, deliveries });
}

/** Marks deliveries as sent if the journal lists them as sent, so that a crash does not repeat them. */
function markSent(state: RunState, journalled: readonly JournalLine[]): RunState {
  const deliveryKey = ({ notifier, step }: JournalLine) => (step === undefined ? notifier : `${notifier}#${step}`);
  const sent = new Set(journalled.filter(({ status }) => status === "sent").map(deliveryKey));
  const deliveries = Object.entries(state.deliveries).map(([key, delivery]): [string, Delivery] => [
    key,
    sent.has(key) ? { status: "sent", attempts: delivery.attempts } : delivery,
  ]);
  return { ...state, deliveries: Object.fromEntries(deliveries) };
}

function settleRecord(record: SpoolRecord, state: RunState): Settlement {
  const deliveries = Object.values(state.deliveries);
  const due = deliveries.flatMap(({ status, dueAtMs }) => (status === "open" ? [dueAtMs ?? 0] : []));
  if (due.length > 0) return { next: "wait", dueAtMs: Math.min(...due), record: withState(record, state) };
  const undelivered = deliveries.some(({ status }) => status === "failed" || status === "expired");
  return undelivered ? { next: "dead", record: withState(record, state) } : { next: "done" };
}
