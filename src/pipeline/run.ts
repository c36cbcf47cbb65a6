import type { Alert } from "../attention/alert.ts";
import { threadKey } from "../attention/thread-key.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Facts, FoundFacts } from "../core/facts.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { isSampleSession, promptEvent, silentEvents } from "../core/vocabulary.ts";
import { crashPoint } from "../files/crash-point.ts";
import { identityOf, type JournalLine, unroutedReason } from "../journal/journal-line.ts";
import type { Claim } from "../spool/claim.ts";
import { decodeRecord, type SpoolRecord } from "../spool/record.ts";
import type { Settlement } from "../spool/settle.ts";
import { mask } from "../text/mask/mask.ts";
import { summarize } from "../text/summary.ts";
import { noteInAlert, noteLikelyAnswer, noteRelayedStates } from "./alerts.ts";
import { attendTo } from "./attend.ts";
import type { RunContext } from "./context.ts";
import { deliverAll } from "./deliver-all.ts";
import { type Judgement, judge } from "./judge.ts";
import { isFurtherReplyToMate } from "./judge-late.ts";
import { limitPeer } from "./limit-peer.ts";
import { type LookedUp, lookUp } from "./look-up.ts";
import { isInsideLivingRun, isNestedRun } from "./nested-run.ts";
import { findNextRun } from "./next-run.ts";
import { reportConfigErrors } from "./notices.ts";
import { settleProject } from "./project.ts";
import { judgePrompt } from "./prompt-author.ts";
import type { PutOff, PutOffReason } from "./put-off.ts";
import { sessionKeyOf } from "./recent-events.ts";

import { type Routed, route, type Step } from "./route.ts";
import { type Delivery, type RunState, readPutOff, readState, withPutOff, withState } from "./run-state.ts";
import { takeIn } from "./take-in.ts";
import type { HeardEvent } from "./taken-in.ts";

/**
 * Runs one event from the spool to its notifiers: parse → look up → judge → route → attend → deliver. The events of one
 * session are looked up and judged in the order in which they are handed in; then each delivery goes its own way.
 * @returns what is to become of the spool's record
 */
export async function run(claim: Claim, context: RunContext): Promise<Settlement> {
  const [settlement] = await Promise.all([runEvent(claim, context), reportConfigErrors(context)]);
  return settlement;
}

async function runEvent(claim: Claim, context: RunContext): Promise<Settlement> {
  const record = decodeRecord(claim.bytes);
  const earlierRun = record && readState(record);
  const putOff = record && readPutOff(record);
  const takenIn = await takeIn(record, claim, earlierRun?.atMs ?? putOff?.putOffAtMs ?? claim.takenInAtMs, context);
  if (!record || !takenIn) return { next: "dead" };
  crashPoint("parsed");
  if ("states" in takenIn) {
    noteRelayedStates(takenIn.host, takenIn.states, context);
    return { next: "done" };
  }
  const journalled = claim.crashes > 0 ? context.journal.linesOf(claim.id) : [];
  try {
    return await judgeAndDeliver(record, takenIn, { earlierRun, waitedFor: putOff?.putOffFor, journalled }, context);
  } finally {
    context.alerts.flush(threadKey(takenIn.event)); // what is settled does not come about again
  }
}

/** What earlier workers have made of an event. */
interface Earlier {
  readonly earlierRun: RunState | undefined;
  /** What it was put off for last, if it was. */
  readonly waitedFor: PutOffReason | undefined;
  /** Its lines in the journal, where one of them died over it. */
  readonly journalled: readonly JournalLine[];
}

async function judgeAndDeliver(
  record: SpoolRecord,
  takenIn: HeardEvent,
  { earlierRun, waitedFor, journalled }: Earlier,
  context: RunContext,
): Promise<Settlement> {
  const { event } = takenIn;
  // A prompt is journalled once it is known who typed it.
  const isKnown = waitedFor !== undefined && event.event !== promptEvent;
  const isNew = !isKnown && !journalled.some(({ status }) => status === "accepted");
  const judgeInTurn = () =>
    context.turns.take(sessionKeyOf(event), () => begin(takenIn, { isNew, waitedFor }, context));
  const state = earlierRun ?? (await judgeInTurn());
  if (!state) return { next: "done" };
  if ("untilMs" in state) {
    return { next: "wait", dueAtMs: state.untilMs, record: withPutOff(record, event.atMs, state.reason) };
  }
  // What was put off has its time from now on.
  const fresh = !waitedFor || earlierRun ? state : { ...state, freshAtMs: context.ports.clock.now() };
  const { kind, message, project, isUnattended } = fresh;
  const judged = { ...event, kind, ...omitUndefined({ message, project, isAwaited: isUnattended }) };
  const attended = await attendTo(judged, markSent(fresh, journalled), context);
  const deliveries = await deliverAll(judged, attended, context);
  return settlementOf(record, { ...fresh, deliveries });
}

/**
 * Decides who hears of an event that nobody has heard of. Undefined where nobody does; the journal then says why, but
 * of a prompt, which nobody ever hears of: looking it up would only bring its text back.
 * @param run.isNew whether the journal does not have it yet
 * @param run.waitedFor what it was put off for last, if it was
 */
async function begin(
  takenIn: HeardEvent,
  { isNew, waitedFor }: { readonly isNew: boolean; readonly waitedFor: PutOffReason | undefined },
  context: RunContext,
): Promise<RunState | PutOff | undefined> {
  const { config, journal } = context;
  const { event: parsed, facts: given } = takenIn;
  const isSilent = silentEvents.includes(parsed.event);
  const { event, facts, wait, problems } = given
    ? { event: parsed, facts: given, problems: [] }
    : await lookUpAndJudge(parsed, waitedFor, context);
  const alert = wait ? noteLikelyAnswer(event, context) : noteInAlert(event, facts, context);
  const known = withTurnLength(event, facts, alert);
  const identity = identityOf(event);
  const { steps: routed, note }: Routed = event.skip ? { steps: [] } : route(event, config, known);
  const remark = wait?.reason ?? note ?? (isSilent ? event.skip : undefined);
  const remarks = [...problems, ...(remark ? [remark] : [])];
  const accepted = {
    ...identity,
    status: "accepted",
    ...omitUndefined({
      title: titleOf(facts),
      summary: isSilent ? undefined : summaryOf(event, facts),
      ...usageOf(known),
      reason: remarks.join("; ") || undefined,
    }),
  } as const;
  if (isNew && !(wait && isSilent)) journal.write(accepted);
  if (wait) return wait;
  const steps = await limitPeer(event, routed, context);
  if (steps.length === 0) {
    if (!isSilent && routed.length === 0)
      journal.write({ ...identity, status: "skipped", reason: event.skip ?? note ?? unroutedReason });
    return undefined;
  }
  return startState(parsed, event, known, steps);
}

/** What an event means, by what is found out about it and by the others of its session, which it joins. */
async function lookUpAndJudge(
  parsed: AgentEvent,
  waitedFor: PutOffReason | undefined,
  context: RunContext,
): Promise<Pick<Judgement, "event" | "facts"> & { readonly wait?: PutOff; readonly problems: readonly string[] }> {
  const { recent, ports } = context;
  if (parsed.event === promptEvent) {
    const judged = await judgePrompt(await settleProject(parsed, {}, context), context);
    recent.add(judged.event, {});
    return { facts: {}, problems: [], ...judged };
  }
  const isLookedUp = !parsed.skip && !silentEvents.includes(parsed.event);
  const { facts: found, problems } = isLookedUp ? await lookUp(parsed, context) : nothing;
  const nextRun = parsed.skip ? undefined : await findNextRun(parsed, ports.clock.now());
  const facts = { ...found, ...omitUndefined({ nextRun }) };
  const placed = await settleProject(parsed, facts, context);
  const judgement = judge(placed, facts, recent.ofSession(parsed), ports.clock.now(), waitedFor);
  const withheld = judgement.event.skip === undefined ? findWithholding(parsed, facts, context) : undefined;
  if (withheld) return { ...judgement, event: { ...judgement.event, skip: withheld }, problems };
  if (waitedFor) recent.replace(judgement.remembered, facts);
  else recent.add(judgement.remembered, facts);
  return { ...judgement, problems };
}

/** Finds a rule by which an event is sent to nobody, though its session alone does not show it. */
function findWithholding(event: AgentEvent, facts: FoundFacts, context: RunContext): string | undefined {
  if (!context.config.attention.judgeLate) return undefined;
  if (isInsideLivingRun(event, facts)) return isNestedRun;
  return isFurtherReplyToMate(event, facts, context) ? "only another agent's message was answered" : undefined;
}

/** The state in which an event goes to its notifiers. */
function startState(parsed: AgentEvent, event: AgentEvent, facts: FoundFacts, steps: readonly Step[]): RunState {
  const { work, ...shown } = facts;
  const isAwaited = event.isAwaited || isSampleSession(event.sessionId);
  const isUnattended = isAwaited === true || work?.isHeadless === true;
  const due = isUnattended ? steps.filter(({ afterMs }) => afterMs === 0) : steps;
  const { atMs, kind } = event;
  const message = event.message === parsed.message ? undefined : event.message;
  const project = event.project === parsed.project ? undefined : event.project;
  return {
    atMs,
    freshAtMs: atMs,
    kind,
    ...omitUndefined({ message, project, isUnattended: isUnattended || undefined }),
    facts: shown,
    deliveries: Object.fromEntries(due.map(deliveryOf)),
  };
}

/** The delivery of a step as it starts, by its key. */
export function deliveryOf({ notifier, number, afterMs, when }: Step): [string, Delivery] {
  const fresh = { status: "open", attempts: 0, isUndecided: true, ...omitUndefined({ when }) } as const;
  if (number === 0) return [notifier, fresh];
  return [`${notifier}#${number}`, { ...fresh, notifier, step: number, afterMs }];
}

/** The facts, with the turn's length as it is known from the prompt's own event where no lookup has it. */
function withTurnLength(event: AgentEvent, facts: FoundFacts, alert: Alert | undefined): FoundFacts {
  const sinceMs = alert?.promptedAtMs;
  if (event.event !== "Stop" || facts.turnMs !== undefined || sinceMs === undefined || sinceMs > event.atMs)
    return facts;
  return { ...facts, turnMs: event.atMs - sinceMs };
}

/** What a turn took, for the journal: its time, and what its session has taken of tokens and credits so far. */
function usageOf({ turnMs, tokens = {} }: Facts): Pick<JournalLine, "turnMs" | "tokens" | "credits"> {
  const { input = 0, output = 0, cacheWrite = 0, credits, partial } = tokens;
  if (partial) return omitUndefined({ turnMs });
  return omitUndefined({ turnMs, tokens: Math.round(input + output + cacheWrite) || undefined, credits });
}

/** The session's title for the journal, with what looks like a secret masked. */
function titleOf({ title }: Facts): string | undefined {
  return title === undefined ? undefined : mask(title);
}

const summaryReadChars = 8192;

/**
 * One line on what an event is about, or undefined. What looks like a secret is masked: the journal is kept for long.
 */
function summaryOf({ event, message, lastMessage }: AgentEvent, facts: Facts): string | undefined {
  const asked = event === "Notification" ? message : undefined;
  const text = asked ?? facts.lastMessage ?? lastMessage ?? facts.summary ?? message ?? "";
  return summarize(mask(text.slice(0, summaryReadChars))) || undefined;
}

const nothing: LookedUp = { facts: {}, problems: [] };

/** The state after a crash: deliveries that the journal knows to be sent are not made again. */
function markSent(state: RunState, journalled: readonly JournalLine[]): RunState {
  const keyOf = ({ notifier, step }: JournalLine) => (step === undefined ? notifier : `${notifier}#${step}`);
  const sent = new Set(journalled.filter(({ status }) => status === "sent").map(keyOf));
  const deliveries = Object.entries(state.deliveries).map(([key, delivery]): [string, Delivery] => [
    key,
    sent.has(key) ? { status: "sent", attempts: delivery.attempts } : delivery,
  ]);
  return { ...state, deliveries: Object.fromEntries(deliveries) };
}

function settlementOf(record: SpoolRecord, state: RunState): Settlement {
  const deliveries = Object.values(state.deliveries);
  const due = deliveries.flatMap(({ status, dueAtMs }) => (status === "open" ? [dueAtMs ?? 0] : []));
  if (due.length > 0) return { next: "wait", dueAtMs: Math.min(...due), record: withState(record, state) };
  const undelivered = deliveries.some(({ status }) => status === "failed" || status === "expired");
  return undelivered ? { next: "dead", record: withState(record, state) } : { next: "done" };
}
