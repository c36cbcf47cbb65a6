import { type Concern, isOpen, isPast, type Told } from "../attention/alert.ts";
import { areShared, changeNotes, concernsIn, type MessageKey, noteOf } from "../attention/messages.ts";
import { groupKey, threadAt, threadKey } from "../attention/thread-key.ts";
import type { ConfiguredNotifier } from "../config/config.ts";
import type { Ending } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { crashPoint } from "../files/crash-point.ts";
import { identityOf } from "../journal/journal-line.ts";
import type { AttemptResult, Failure } from "../pipeline/attempt.ts";
import type { RunContext } from "../pipeline/context.ts";
import { buildOutgoing, type OutgoingEvent } from "../pipeline/outgoing.ts";
import { waitMs } from "../pipeline/schedule.ts";
import { isDue } from "../spool/entry.ts";
import { change } from "./change.ts";

/** Longest time to keep trying to change a message: a day. */
const maxTryingMs = 24 * 3_600_000;

/** Finds the messages about something that is past, each once, if it is time to try to change them. */
export function outdatedMessages({ alerts, backlog, ports }: Pick<RunContext, "alerts" | "backlog" | "ports">) {
  const nowMs = ports.clock.now();
  const past = alerts.all().flatMap(({ concerns }) => concerns.flatMap(pastMessages));
  const due = past.filter(
    ({ notifier, dueAtMs, failedAtMs }) =>
      isDue(dueAtMs, nowMs) || (failedAtMs !== undefined && backlog.worksAgain(notifier, failedAtMs, nowMs)),
  );
  return [...new Map(due.map(({ notifier, group }) => [threadAt(notifier, group), { notifier, group }])).values()];
}

/** Finds the messages about a concern that is over, or has moved to a newer message. */
export function pastMessages(
  concern: Concern,
): (MessageKey & { readonly dueAtMs: number; readonly failedAtMs: number | undefined })[] {
  return Object.entries(concern.told).flatMap(([notifier, told]) =>
    told
      .filter((one) => isPast(concern, one))
      .map(({ group, dueAtMs = 0, failedAtMs }) => ({ notifier, group, dueAtMs, failedAtMs })),
  );
}

/**
 * Withdraws a message, or marks it as done, if all that it is about is past; otherwise updates it to the rest. Tries
 * again after a failure that may pass. Never throws.
 */
export async function takeBack(message: MessageKey, context: RunContext): Promise<void> {
  const [first] = concernsIn(message, context.alerts);
  if (!first) return;
  const thread = threadAt(message.notifier, threadKey(first.event));
  await context.threads.take(thread, async () => {
    const outdated = readOutdated(message, context);
    if (outdated) await changeOutdated(outdated, context);
  });
}

/** A message, and the concerns in it that are past and that are not. */
interface Outdated {
  readonly message: MessageKey;
  readonly past: readonly Concern[];
  readonly rest: readonly Concern[];
  /** The newest of those that are past, and its own note of the message. */
  readonly last: Concern;
  readonly note: Told;
}

/** Undefined if another message has taken its place meanwhile. */
function readOutdated(message: MessageKey, { alerts }: RunContext): Outdated | undefined {
  const concerns = concernsIn(message, alerts);
  const isOver = (one: Concern) => isPast(one, noteOf(one, message) ?? {});
  const past = concerns.filter(isOver);
  const last = past.at(-1);
  const note = last && noteOf(last, message);
  return last && note && { message, past, rest: concerns.filter((one) => !isOver(one)), last, note };
}

async function changeOutdated(outdated: Outdated, context: RunContext): Promise<void> {
  const { message, past, rest, note } = outdated;
  const configured = context.config.notifiers.get(message.notifier);
  const verb = rest.length > 0 ? "update" : "withdraw";
  const { receipt } = note;
  if (receipt && configured?.notifier[verb] && isTakenBack(configured, context)) {
    const isMoved = past.some(isOpen);
    const outgoing = buildChanged(outdated, configured);
    const result = await change(verb, { ...outgoing, receipt, isMoved, over: past.flatMap(endingOf) }, context);
    crashPoint("alert:changed");
    if (result.failure && mayTryAgain(outdated, result.failure, context)) {
      postpone(outdated, result.failure, context);
      return;
    }
    journalChange(outdated, result, context);
    const next = result.receipt;
    if (next) changeNotes(rest, message, (one) => ({ ...one, receipt: { ...next } }), context.alerts);
  }
  changeNotes(past, message, () => undefined, context.alerts);
}

/** The message as it reads without what is past; one that is wholly past reads as its newest concern. */
function buildChanged({ message, past, rest, last }: Outdated, configured: ConfiguredNotifier): OutgoingEvent {
  const [first = last, ...others] = rest;
  const thread = areShared([...past, ...rest]) ? { key: groupKey(message.group) } : undefined;
  return buildOutgoing(configured, [first, ...others], thread);
}

function mayTryAgain({ last, note }: Outdated, failure: Failure, { ports }: RunContext): boolean {
  const nowMs = ports.clock.now();
  return failure.isTransient && nowMs - (last.resolvedAtMs ?? note.movedAtMs ?? nowMs) < maxTryingMs;
}

function postpone({ message, past, note }: Outdated, { retryAfterMs }: Failure, context: RunContext): void {
  const nowMs = context.ports.clock.now();
  const attempts = (note.attempts ?? 0) + 1;
  const dueAtMs = nowMs + waitMs(attempts, context.config.delivery, retryAfterMs);
  changeNotes(past, message, (one) => ({ ...one, attempts, dueAtMs, failedAtMs: nowMs }), context.alerts);
}

function journalChange({ message, past, rest }: Outdated, { failure, note }: AttemptResult, context: RunContext): void {
  const why = past.some(isOpen) ? "a newer message took its place" : undefined;
  const remarks = [why, note].filter(Boolean).join("; ") || undefined;
  const reason = failure ? `it could not be changed: ${failure.reason}: ${failure.message}` : remarks;
  const status = failure ? "skipped" : rest.length > 0 ? "updated" : "withdrawn";
  for (const { event } of past) {
    const line = { ...identityOf(event), notifier: message.notifier, status, ...omitUndefined({ reason }) } as const;
    context.journal.write(line);
  }
}

/** Tells if messages are changed later: if the person wants it, or if another beckon is to hear what is over. */
export function isTakenBack({ notifier }: ConfiguredNotifier, { config }: Pick<RunContext, "config">): boolean {
  return config.attention.withdraw || notifier.relays === true;
}

function endingOf({ id, state, resolvedAtMs, resolvedBy = "" }: Concern): Ending[] {
  return state === "resolved" && resolvedAtMs !== undefined ? [{ id, atMs: resolvedAtMs, by: resolvedBy }] : [];
}
