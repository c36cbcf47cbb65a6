import { type Concern, isOpen, isStale } from "../attention/alert.ts";
import { areShared, changeMessages, findConcerns, findMessage, type MessageKey } from "../attention/messages.ts";
import { groupKey, notifierThreadKey, threadKey } from "../attention/session-keys.ts";
import type { ConfiguredNotifier } from "../config/config.ts";
import { findSender } from "../config/notifier-entry.ts";
import { DeliveryError } from "../core/errors.ts";
import type { ChangeCall, Receipt, Resolution } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { crashPoint } from "../files/crash-point.ts";
import { identifyEvent } from "../journal/journal-line.ts";
import { type AttemptContext, type AttemptResult, attempt, type Failure, type SomeCall } from "../pipeline/attempt.ts";
import type { RunContext } from "../pipeline/context.ts";
import { waitMs } from "../pipeline/retry-schedule.ts";
import { buildOutgoing, type OutgoingEvent } from "../pipeline/run-state.ts";
import { isDue } from "../spool/entry.ts";
import { dayMs } from "../text/time.ts";

/** Longest time for which a failed change of a message is retried: a day. */
const maxRetryMs = dayMs;

/** Finds the stale messages that must be changed now. A message about several concerns is listed once. */
export function findDueStale({ alerts, queues, ports }: Pick<RunContext, "alerts" | "queues" | "ports">) {
  const nowMs = ports.clock.now();
  const stale = alerts.all().flatMap(({ concerns }) => concerns.flatMap(staleMessages));
  const due = stale.filter(
    ({ notifier, dueAtMs, failedAtMs }) =>
      isDue(dueAtMs, nowMs) || (failedAtMs !== undefined && queues.of(notifier).hasRecovered(failedAtMs)),
  );
  return [
    ...new Map(due.map(({ notifier, group }) => [notifierThreadKey(notifier, group), { notifier, group }])).values(),
  ];
}

/** Lists a concern's stale messages: all if the concern is resolved, otherwise those that a newer message replaces. */
export function staleMessages(concern: Concern) {
  return Object.entries(concern.messages).flatMap(([notifier, messages]) =>
    messages
      .filter((message) => isStale(concern, message))
      .map(({ group, dueAtMs = 0, failedAtMs }) => ({ notifier, group, dueAtMs, failedAtMs })),
  );
}

/**
 * Withdraws a message if all its concerns are resolved; otherwise updates the message to show the remaining concerns. A
 * transient failure is retried later. Never throws.
 */
export async function withdraw(message: MessageKey, context: RunContext): Promise<void> {
  await afterOtherChanges(message, context, async () => {
    const outdated = readOutdated(message, context);
    if (outdated) await changeOutdated(outdated, context);
  });
}

/** Acts once other changes to the messages of the same session are done. Does nothing if the message is forgotten. */
export async function afterOtherChanges(message: MessageKey, context: RunContext, act: () => Promise<void>) {
  const [first] = findConcerns(message, context.alerts);
  if (first) await context.threads.run(notifierThreadKey(message.notifier, threadKey(first.event)), act);
}

/** Message that must be changed, because it is stale for some of its concerns. */
type Outdated = NonNullable<ReturnType<typeof readOutdated>>;

/**
 * Splits a message's concerns into those for which the message is stale, and the others. `last` is the newest of the
 * former, and `sent` its record of the message. Undefined if the message is not stale.
 */
function readOutdated(message: MessageKey, { alerts }: RunContext) {
  const concerns = findConcerns(message, alerts);
  const isStalePart = (concern: Concern) => isStale(concern, findMessage(concern, message) ?? {});
  const stale = concerns.filter(isStalePart);
  const last = stale.at(-1);
  const sent = last && findMessage(last, message);
  return last && sent && { message, stale, active: concerns.filter((concern) => !isStalePart(concern)), last, sent };
}

async function changeOutdated(outdated: Outdated, context: RunContext): Promise<void> {
  const { message, stale, active, sent } = outdated;
  const configured = findSender(message.notifier, context.config.notifiers);
  const verb = active.length > 0 ? "update" : "withdraw";
  const { receipt } = sent;
  if (receipt && configured?.notifier[verb] && isWithdrawn(configured, context)) {
    const isSuperseded = stale.some(isOpen);
    const outcome = context.answers?.findOutcome(outdated.last.event);
    const outgoing = { ...buildChanged(outdated, configured), ...omitUndefined({ outcome }) };
    const result = await change(
      verb,
      { ...outgoing, receipt, isSuperseded, resolutions: stale.flatMap(readResolution) },
      context,
    );
    crashPoint("alert:changed");
    if (result.failure && mayRetry(outdated, result.failure, context)) {
      postpone(outdated, result.failure, context);
      return;
    }
    journalChange(outdated, result, context);
    const next = result.receipt;
    if (next)
      changeMessages(active, message, (sentMessage) => ({ ...sentMessage, receipt: { ...next } }), context.alerts);
  }
  changeMessages(stale, message, () => undefined, context.alerts);
}

/** Builds the message without the concerns for which it is stale, or from the newest of them if it is stale for all. */
function buildChanged({ message, stale, active, last }: Outdated, configured: ConfiguredNotifier): OutgoingEvent {
  const [first = last, ...others] = active;
  const thread = areShared([...stale, ...active]) ? { key: groupKey(message.group) } : undefined;
  return buildOutgoing(configured, [first, ...others], thread);
}

function mayRetry({ last, sent }: Outdated, failure: Failure, { ports }: RunContext): boolean {
  const nowMs = ports.clock.now();
  return failure.isTransient && nowMs - (last.resolvedAtMs ?? sent.supersededAtMs ?? nowMs) < maxRetryMs;
}

function postpone({ message, stale, sent }: Outdated, { retryAfterMs }: Failure, context: RunContext): void {
  const nowMs = context.ports.clock.now();
  const attempts = (sent.attempts ?? 0) + 1;
  const dueAtMs = nowMs + waitMs(attempts, context.config.delivery, retryAfterMs);
  changeMessages(
    stale,
    message,
    (sentMessage) => ({ ...sentMessage, attempts, dueAtMs, failedAtMs: nowMs }),
    context.alerts,
  );
}

function journalChange(outdated: Outdated, { failure, note }: AttemptResult, context: RunContext): void {
  const { message, stale, active } = outdated;
  const why = stale.some(isOpen) ? "a newer message took its place" : undefined;
  const remarks = [why, note].filter(Boolean).join("; ") || undefined;
  const reason = failure ? `it could not be changed: ${failure.reason}: ${failure.message}` : remarks;
  const status = failure ? "skipped" : active.length > 0 ? "updated" : "withdrawn";
  for (const { event } of stale) {
    const line = { ...identifyEvent(event), notifier: message.notifier, status, ...omitUndefined({ reason }) } as const;
    context.journal.write(line);
  }
}

/**
 * True if a notifier's sent messages are changed later, because the user's settings demand it or because the notifier
 * relays events to another machine.
 */
export function isWithdrawn({ notifier }: ConfiguredNotifier, { config }: Pick<RunContext, "config">): boolean {
  return config.attention.withdraw || notifier.relays === true;
}

function readResolution({ id, state, resolvedAtMs, resolvedBy = "" }: Concern): Resolution[] {
  return state === "resolved" && resolvedAtMs !== undefined ? [{ id, atMs: resolvedAtMs, by: resolvedBy }] : [];
}

/** Ways to change a sent message. Each is named like the function of a notifier that performs it. */
type ChangeVerb = "update" | "withdraw" | "notice" | "repeat";

/** Sent message, with the event and facts that the message must show now. */
export type SentEvent = OutgoingEvent & Pick<ChangeCall<unknown>, "receipt" | "isSuperseded" | "resolutions">;

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
  return attempt(sent, context, { act: apply, variant: verb === "withdraw" ? withdrawn : "new" });
}
