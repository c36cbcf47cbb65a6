import { type Concern, isOpen, isStale, type SentMessage } from "../attention/alert.ts";
import { areShared, changeMessages, concernsIn, findMessage, type MessageKey } from "../attention/messages.ts";
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

/** Parts of the context that this step uses. */
type StepContext = Pick<RunContext, "alerts" | "journal" | "threads" | "config" | "ports" | "keepSecret">;

/** Longest time to keep trying to change a message: a day. */
const maxTryingMs = 24 * 3_600_000;

/** Finds the messages about something resolved or superseded, each once, if it is time to try to change them. */
export function dueStaleMessages({ alerts, backlog, ports }: Pick<RunContext, "alerts" | "backlog" | "ports">) {
  const nowMs = ports.clock.now();
  const stale = alerts.all().flatMap(({ concerns }) => concerns.flatMap(staleMessages));
  const due = stale.filter(
    ({ notifier, dueAtMs, failedAtMs }) =>
      isDue(dueAtMs, nowMs) || (failedAtMs !== undefined && backlog.worksAgain(notifier, failedAtMs, nowMs)),
  );
  return [...new Map(due.map(({ notifier, group }) => [threadAt(notifier, group), { notifier, group }])).values()];
}

/** Finds the messages about a concern that is resolved, or superseded by a newer message. */
export function staleMessages(
  concern: Concern,
): (MessageKey & { readonly dueAtMs: number; readonly failedAtMs: number | undefined })[] {
  return Object.entries(concern.messages).flatMap(([notifier, messages]) =>
    messages
      .filter((message) => isStale(concern, message))
      .map(({ group, dueAtMs = 0, failedAtMs }) => ({ notifier, group, dueAtMs, failedAtMs })),
  );
}

/**
 * Withdraws a message, or marks it as done, if all that it is about is stale; otherwise updates it to the rest. Tries
 * again after a failure that may pass. Never throws.
 */
export async function withdraw(message: MessageKey, context: StepContext): Promise<void> {
  const [first] = concernsIn(message, context.alerts);
  if (!first) return;
  const thread = threadAt(message.notifier, threadKey(first.event));
  await context.threads.take(thread, async () => {
    const outdated = readOutdated(message, context);
    if (outdated) await changeOutdated(outdated, context);
  });
}

/** A message that is out of date. */
interface Outdated {
  readonly message: MessageKey;
  readonly stale: readonly Concern[];
  readonly active: readonly Concern[];
  /** The newest stale concern, and the message as it is noted there. */
  readonly last: Concern;
  readonly sent: SentMessage;
}

/** Undefined if another message has taken its place meanwhile. */
function readOutdated(message: MessageKey, { alerts }: StepContext): Outdated | undefined {
  const concerns = concernsIn(message, alerts);
  const isPart = (concern: Concern) => isStale(concern, findMessage(concern, message) ?? {});
  const stale = concerns.filter(isPart);
  const last = stale.at(-1);
  const sent = last && findMessage(last, message);
  return last && sent && { message, stale, active: concerns.filter((concern) => !isPart(concern)), last, sent };
}

async function changeOutdated(outdated: Outdated, context: StepContext): Promise<void> {
  const { message, stale, active, sent } = outdated;
  const configured = context.config.notifiers.get(message.notifier);
  const verb = active.length > 0 ? "update" : "withdraw";
  const { receipt } = sent;
  if (receipt && configured?.notifier[verb] && isWithdrawn(configured, context)) {
    const isMoved = stale.some(isOpen);
    const outgoing = buildChanged(outdated, configured);
    const result = await change(verb, { ...outgoing, receipt, isMoved, over: stale.flatMap(readEnding) }, context);
    crashPoint("alert:changed");
    if (result.failure && mayTryAgain(outdated, result.failure, context)) {
      postpone(outdated, result.failure, context);
      return;
    }
    journalChange(outdated, result, context);
    const next = result.receipt;
    if (next) changeMessages(active, message, (each) => ({ ...each, receipt: { ...next } }), context.alerts);
  }
  changeMessages(stale, message, () => undefined, context.alerts);
}

/** The message as it reads without what is stale; one that is wholly stale reads as its newest concern. */
function buildChanged({ message, stale, active, last }: Outdated, configured: ConfiguredNotifier): OutgoingEvent {
  const [first = last, ...others] = active;
  const thread = areShared([...stale, ...active]) ? { key: groupKey(message.group) } : undefined;
  return buildOutgoing(configured, [first, ...others], thread);
}

function mayTryAgain({ last, sent }: Outdated, failure: Failure, { ports }: StepContext): boolean {
  const nowMs = ports.clock.now();
  return failure.isTransient && nowMs - (last.resolvedAtMs ?? sent.supersededAtMs ?? nowMs) < maxTryingMs;
}

function postpone({ message, stale, sent }: Outdated, { retryAfterMs }: Failure, context: StepContext): void {
  const nowMs = context.ports.clock.now();
  const attempts = (sent.attempts ?? 0) + 1;
  const dueAtMs = nowMs + waitMs(attempts, context.config.delivery, retryAfterMs);
  changeMessages(stale, message, (each) => ({ ...each, attempts, dueAtMs, failedAtMs: nowMs }), context.alerts);
}

function journalChange(outdated: Outdated, { failure, note }: AttemptResult, context: StepContext): void {
  const { message, stale, active } = outdated;
  const why = stale.some(isOpen) ? "a newer message took its place" : undefined;
  const remarks = [why, note].filter(Boolean).join("; ") || undefined;
  const reason = failure ? `it could not be changed: ${failure.reason}: ${failure.message}` : remarks;
  const status = failure ? "skipped" : active.length > 0 ? "updated" : "withdrawn";
  for (const { event } of stale) {
    const line = { ...identityOf(event), notifier: message.notifier, status, ...omitUndefined({ reason }) } as const;
    context.journal.write(line);
  }
}

/** Tells if messages are changed later: if the user wants it, or if another beckon is to hear what is resolved. */
export function isWithdrawn({ notifier }: ConfiguredNotifier, { config }: Pick<RunContext, "config">): boolean {
  return config.attention.withdraw || notifier.relays === true;
}

function readEnding({ id, state, resolvedAtMs, resolvedBy = "" }: Concern): Ending[] {
  return state === "resolved" && resolvedAtMs !== undefined ? [{ id, atMs: resolvedAtMs, by: resolvedBy }] : [];
}
