import { InputError } from "../core/errors.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Facts } from "../core/facts.ts";
import { fault } from "../core/crash-point.ts";
import { mask } from "./mask/mask.ts";
import { present } from "../core/present.ts";
import { summarize } from "../core/summary.ts";
import type { Claim } from "../spool/claim.ts";
import { decodeRecord, type SpoolRecord } from "../spool/record.ts";
import type { Outcome } from "../spool/settle.ts";
import { classify } from "./classify.ts";
import type { RunContext } from "./context.ts";
import { deliver } from "./deliver.ts";
import { identityOf, type JournalLine } from "./journal.ts";
import { type LookedUp, lookUp } from "./look-up.ts";
import { parse } from "./parse.ts";
import { route } from "./route.ts";
import { type Delivery, type RunState, readState, withState } from "./run-state.ts";

/**
 * One event's way from the spool to its notifiers: parse → judge → look up → classify → route → deliver. Up to the
 * judgement it runs without a pause, so that events are judged in the order in which they are handed in.
 */
export async function run(held: Claim, context: RunContext): Promise<Outcome> {
  const record = decodeRecord(held.bytes);
  const earlier = record && readState(record);
  const event = parseOrReject(record, held, earlier?.atMs ?? held.takenInAtMs, context);
  if (!record || !event) return { next: "dead" };
  fault("parsed");
  const known = held.crashes > 0 ? context.journal.linesOf(held.id) : [];
  const state = earlier ?? (await begin(event, known, context));
  if (!state) return { next: "done" };
  const deliveries = await deliverAll({ ...event, kind: state.kind }, withoutSent(state, known), context);
  return outcomeOf(record, { ...state, deliveries });
}

function parseOrReject(
  record: SpoolRecord | undefined,
  held: Claim,
  atMs: number,
  { journal }: RunContext,
): AgentEvent | undefined {
  try {
    if (!record) throw new InputError("input.torn", "not a whole spool record");
    return parse(record, held.id, atMs);
  } catch (error) {
    const reason = error instanceof InputError ? `${error.code}: ${error.message}` : "a fault in reading it";
    const { event, agent } = record?.header ?? {};
    journal.write({ id: held.id, ...(event && { event }), ...(agent && { agent }), status: "rejected", reason });
    return undefined;
  }
}

/** The first look at an event: who should hear of it? Nobody: the journal says why, and there is no state. */
async function begin(
  parsed: AgentEvent,
  known: readonly JournalLine[],
  context: RunContext,
): Promise<RunState | undefined> {
  const { config, journal, recent } = context;
  const judged = recent.judge(parsed);
  const { facts, problems } = judged.skip ? nothing : await lookUp(judged, context);
  const event = classify(judged, facts);
  const identity = identityOf(event);
  const accepted = {
    ...identity,
    status: "accepted",
    ...present({ summary: summaryOf(event, facts) }),
    ...(problems.length > 0 && { reason: problems.join("; ") }),
  } as const;
  if (!known.some(({ status }) => status === "accepted")) journal.write(accepted);
  const to = event.skip ? [] : route(event, config);
  if (to.length === 0) {
    journal.write({ ...identity, status: "skipped", reason: event.skip ?? "no route matches" });
    return undefined;
  }
  const deliveries = Object.fromEntries(to.map((name): [string, Delivery] => [name, { status: "open", attempts: 0 }]));
  return { atMs: event.atMs, freshAtMs: event.atMs, kind: event.kind, facts, deliveries };
}

const summaryReadChars = 8192;

/** One line of what it is about, or undefined. The journal is kept for long: what looks like a secret is masked. */
function summaryOf({ event, message, lastMessage }: AgentEvent, facts: Facts): string | undefined {
  const asked = event === "Notification" ? message : undefined;
  const text = asked ?? facts.lastMessage ?? lastMessage ?? facts.summary ?? message ?? "";
  return summarize(mask(text.slice(0, summaryReadChars))) || undefined;
}

const nothing: LookedUp = { facts: {}, problems: [] };

/** After a crash: what the journal knows to be sent is not sent again. */
function withoutSent(state: RunState, known: readonly JournalLine[]): RunState {
  const sent = new Set(known.filter(({ status }) => status === "sent").map(({ notifier }) => notifier));
  const deliveries = Object.entries(state.deliveries).map(([name, delivery]): [string, Delivery] => [
    name,
    sent.has(name) ? { status: "sent", attempts: delivery.attempts } : delivery,
  ]);
  return { ...state, deliveries: Object.fromEntries(deliveries) };
}

async function deliverAll(event: AgentEvent, state: RunState, context: RunContext): Promise<Record<string, Delivery>> {
  const facts: Facts = state.facts;
  const entries = Object.entries(state.deliveries).map(async ([name, soFar]): Promise<[string, Delivery][]> => {
    const configured = context.config.notifiers.get(name);
    if (soFar.status !== "open") return [[name, soFar]];
    if (!configured) return []; // no longer configured
    return [[name, await deliver({ event, facts, configured, soFar, freshAtMs: state.freshAtMs }, context)]];
  });
  return Object.fromEntries((await Promise.all(entries)).flat());
}

function outcomeOf(record: SpoolRecord, state: RunState): Outcome {
  const deliveries = Object.values(state.deliveries);
  const due = deliveries.flatMap(({ status, dueAtMs }) => (status === "open" ? [dueAtMs ?? 0] : []));
  if (due.length > 0) return { next: "wait", dueAtMs: Math.min(...due), record: withState(record, state) };
  const undelivered = deliveries.some(({ status }) => status === "failed" || status === "expired");
  return undelivered ? { next: "dead", record: withState(record, state) } : { next: "done" };
}
