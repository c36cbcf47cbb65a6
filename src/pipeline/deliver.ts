import { type Group, isGroupable } from "../attention/groups.ts";
import { previousReceipt, recordMessage } from "../attention/messages.ts";
import { explainResolved } from "../attention/rules.ts";
import { groupKey, notifierThreadKey, threadKey } from "../attention/session-keys.ts";
import { isSampleSession } from "../attention/session-memory.ts";
import { type ConfiguredNotifier, readAudience } from "../config/config.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Reaction } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { crashPoint } from "../files/crash-point.ts";
import { identifyEvent, type JournalLine } from "../journal/journal-line.ts";
import { isDue } from "../spool/entry.ts";
import { cleanLine } from "../text/clean.ts";
import { longestTimerMs } from "../text/time.ts";
import { findConcern, reactTo, withOpenRequests } from "./alerts.ts";
import { type AttemptResult, attempt, type Failure, type GroupOutcome, messageId } from "./attempt.ts";
import type { RunContext } from "./context.ts";
import { judgeLate } from "./judge.ts";
import { reportBroken } from "./notices.ts";
import { maxTranscriptWaitMs } from "./postpone.ts";
import { nextAttemptAtMs, waitMs } from "./retry-schedule.ts";
import {
  buildOutgoing,
  type Delivery,
  listEvents,
  type OutgoingEvent,
  type PendingDelivery,
  type RunState,
} from "./run-state.ts";

/**
 * Attempts an event's open deliveries concurrently. Drops deliveries whose notifier is no longer configured. While any
 * attempt is in progress, also attempts deliveries that become due, so that no retry waits for a slower notifier.
 * Resolves when no attempt is in progress; later retries wait in the spool.
 */
export async function deliverAll(
  event: AgentEvent,
  { facts, freshAtMs, deliveries }: RunState,
  context: RunContext,
): Promise<Record<string, Delivery>> {
  const { config, ports, queues } = context;
  let underWay = 0;
  const ended = new AbortController();
  const attemptOnce = async (pending: PendingDelivery): Promise<Delivery | undefined> => {
    underWay += 1;
    try {
      return await deliver(pending, context);
    } finally {
      underWay -= 1;
      if (underWay === 0) ended.abort();
    }
  };
  const waitUntilDue = async (dueAtMs = 0): Promise<void> => {
    const released = new AbortController();
    const unsubscribe = queues.subscribe((id) => id === event.id && released.abort());
    const ms = Math.min(dueAtMs - ports.clock.now(), longestTimerMs);
    await ports.clock.wait(ms, AbortSignal.any([ended.signal, released.signal]));
    unsubscribe();
  };
  const entries = Object.entries(deliveries).map(async ([name, delivery]): Promise<[string, Delivery][]> => {
    const configured = config.notifiers.get(delivery.notifier ?? name);
    if (delivery.status !== "open") return [[name, delivery]];
    if (!configured) {
      const unknown = { notifier: delivery.notifier ?? name, ...omitUndefined({ step: delivery.step }) };
      const reason = "the notifier is no longer in the configuration, or has an error there";
      context.journal.write({ ...identifyEvent(event), ...unknown, status: "skipped", reason });
      return [];
    }
    if (delivery.isUndecided) return [[name, delivery]]; // on hold
    for (let current = delivery; ; ) {
      const next = await attemptOnce({ event, facts, configured, delivery: current, freshAtMs });
      if (next?.status !== "open") return [[name, next ?? current]];
      current = next;
      await waitUntilDue(current.dueAtMs);
      if (ended.signal.aborted) return [[name, current]];
    }
  });
  return Object.fromEntries((await Promise.all(entries)).flat());
}

/**
 * Makes the next attempt of a delivery, unless there is an obstacle, such as a pause of its notifier. Makes it before
 * its time if the notifier's queue released it. Returns the delivery's new state; undefined if the event must go back
 * to the spool. Never throws.
 */
export async function deliver(due: PendingDelivery, context: RunContext): Promise<Delivery | undefined> {
  const queue = context.queues.of(due.configured.name);
  const pending = queue.begin(due);
  return queue.end(pending, settleWithoutAttempt(pending, context) ?? (await attemptInGroup(pending, context)));
}

/** Waits for other deliveries that join the same message, and for one of the notifier's slots; then sends the message. */
async function attemptInGroup(pending: PendingDelivery, context: RunContext): Promise<Delivery | undefined> {
  const group = await joinGroup(pending, context);
  const [first = pending, ...others] = group.members;
  const { configured, event } = first;
  // One message of a session at a time: a message must not be withdrawn while the next message replaces it.
  const thread = notifierThreadKey(configured.name, threadKey(event));
  group.outcome ??= context.queues
    .of(configured.name)
    .run(configured, event.kind, () => context.threads.run(thread, () => sendMessage(first, others, context)));
  const outcome = await group.outcome;
  if (outcome === "recalled") return undefined;
  if (outcome === "not now") return settleWithoutAttempt(pending, context);
  if (outcome === "evicted") {
    const reason = "evicted: too many messages wait for this notifier";
    return settleWithoutAttempt(pending, context, { status: "expired", reason });
  }
  return settleAttempt(pending, outcome, group.members.length, context);
}

/**
 * Waits for other deliveries to the same notifier that become due at the same time, after a hold or a release. Resolves
 * to the group that is sent as one message.
 */
async function joinGroup(
  pending: PendingDelivery,
  { groups }: RunContext,
): Promise<Group<PendingDelivery, GroupOutcome>> {
  const { configured, event, delivery } = pending;
  const wasHeld = delivery.heldFor !== undefined && delivery.attempts === 0;
  const mayJoin = isGroupable(event) ? wasHeld || pending.isReleased : wasHeld && delivery.heldFor === "silence";
  if (!mayJoin || readAudience(configured) !== "person") return { members: [pending] };
  return groups.join(configured.name, pending);
}

/** Sends one message about an event and about other events that share it. */
async function sendMessage(
  first: PendingDelivery,
  others: readonly PendingDelivery[],
  context: RunContext,
): Promise<GroupOutcome> {
  const { configured, event, delivery } = first;
  const { now } = context.ports.clock;
  // The session may have gone on while the message waited. Earlier, its own last line may still come.
  if (now() - event.atMs >= maxTranscriptWaitMs) await judgeLate(event, context);
  if (findObstacle(first, context)) return "not now";
  const startedAtMs = now();
  const id = messageId({ event, others, ...omitUndefined({ step: delivery.step }) });
  const group = configured.notifier.lifecycle?.knowsIds ? id : `${event.id}-${startedAtMs}`;
  const outgoing = buildMessage(first, others, group, context);
  const result = await attempt(outgoing, context);
  if (!result.failure) {
    recordSent(outgoing, group, result, context);
    outgoing.offer?.markShown(result.receipt);
  }
  return { result, tookMs: now() - startedAtMs };
}

/** Builds the message about an event and about other events that share it. `group` is the message's own id. */
function buildMessage(
  first: PendingDelivery,
  others: readonly PendingDelivery[],
  group: string,
  context: RunContext,
): OutgoingEvent {
  const { configured, delivery } = first;
  const { name } = configured;
  const event = others.length > 0 ? first.event : withOpenRequests(first.event, context);
  const isHeld = (id: string): boolean => context.answers?.isHeld(id) === true;
  const isReplaceable = (id: string): boolean => (isHeld(event.id) ? id === event.id : !isHeld(id));
  const previous = others.length > 0 ? undefined : previousReceipt(event, name, context.alerts, isReplaceable);
  const key = others.length > 0 ? groupKey(group) : threadKey(event);
  const thread = { key, ...omitUndefined({ previous }) };
  const outgoing = buildOutgoing(configured, [{ event, facts: first.facts }, ...others], thread);
  const shown = { notifier: name, group, events: listEvents(outgoing), sentAtMs: context.ports.clock.now() };
  const offer = others.length > 0 ? undefined : context.answers?.offer(first.event, name);
  const onReaction = (reaction: Reaction) => reactTo(reaction, shown, context);
  return { ...outgoing, onReaction, ...omitUndefined({ step: delivery.step, offer }) };
}

function recordSent(outgoing: OutgoingEvent, group: string, { receipt }: AttemptResult, context: RunContext): void {
  const { configured, thread } = outgoing;
  const { name, notifier } = configured;
  const replaced = notifier.lifecycle?.replaces ? thread?.previous : undefined;
  const isApart = (id: string): boolean => context.answers?.isHeld(id) === true;
  const message = { notifier: name, group, receipt, replaced, sentAtMs: context.ports.clock.now(), isApart };
  recordMessage(listEvents(outgoing), message, context.alerts);
}

/** Status of a delivery, the time of its next attempt if it stays open, and the reason for the journal. */
interface Decision extends Pick<Delivery, "status" | "dueAtMs"> {
  readonly reason?: string;
}

/**
 * Settles a delivery that cannot be attempted now because of an obstacle, and journals the reason; undefined if it can
 * be attempted.
 */
function settleWithoutAttempt(
  pending: PendingDelivery,
  context: RunContext,
  obstacle = findObstacle(pending, context),
): Delivery | undefined {
  if (!obstacle) return undefined;
  const { delivery } = pending;
  const { reason, ...next } = obstacle;
  if (next.status === "open") return { ...delivery, ...next };
  const { dueAtMs: _, ...expired } = delivery;
  const isExpired = next.status === "expired";
  write(pending, obstacle, isExpired ? { attempt: delivery.attempts } : {}, context);
  return { ...(isExpired ? expired : delivery), ...next };
}

/**
 * Finds the reason not to attempt a delivery now: it has expired, its concern is resolved, it is not due, or its
 * notifier is paused or broken. Undefined if there is none.
 */
function findObstacle(pending: PendingDelivery, context: RunContext): Decision | undefined {
  const { delivery, configured, event } = pending;
  const nowMs = context.ports.clock.now();
  const queue = context.queues.of(configured.name);
  const resolvedReason = endsWithConcern(configured) ? explainResolved(findConcern(event, context)) : undefined;
  if (resolvedReason !== undefined) return { status: "skipped", reason: resolvedReason };
  if (nowMs > expiryMs(pending, context)) return { status: "expired", reason: "not delivered in time" };
  const waits = [delivery.dueAtMs ?? 0, queue.pausedUntilMs(configured)].filter((at) => !isDue(at, nowMs));
  if (waits.length > 0) return { status: "open", dueAtMs: Math.max(...waits) };
  const broken = queue.findBroken(configured);
  if (!broken || isDue(broken.untilMs, nowMs)) return undefined;
  return { status: "failed", reason: `not tried: ${broken.reason}` };
}

/** True if a message is useless once its concern is resolved: it is for a person, or the receiver keeps states. */
function endsWithConcern(configured: ConfiguredNotifier): boolean {
  const { notifier, settings } = configured;
  return readAudience(configured) === "person" || notifier.lifecycle?.keepsStates?.(settings) === true;
}

function write(
  { event, configured, delivery: { step } }: PendingDelivery,
  { status, reason }: Decision,
  attempt: Pick<JournalLine, "attempt" | "tookMs">,
  { journal }: RunContext,
): void {
  const shown = status === "open" ? "retrying" : status;
  const decision = omitUndefined<Pick<JournalLine, "step" | "status" | "reason">>({ step, status: shown, reason });
  journal.write({ ...identifyEvent(event), notifier: configured.name, ...decision, ...attempt });
}

async function settleAttempt(
  pending: PendingDelivery,
  { result: { failure, note }, tookMs }: Exclude<GroupOutcome, string>,
  members: number,
  context: RunContext,
): Promise<Delivery> {
  const { delivery } = pending;
  const attempts = delivery.attempts + 1;
  const groupRemark = members > 1 ? `in one message with ${members - 1} other${members > 2 ? "s" : ""}` : undefined;
  const remarks = [note, groupRemark].filter(Boolean).join("; ") || undefined;
  const sent: Decision = { status: "sent", ...omitUndefined({ reason: remarks }) };
  const decision = failure ? decideRetry(pending, { failure, attempts, tookMs }, context) : sent;
  write(pending, decision, { attempt: attempts, tookMs }, context);
  if (!failure) crashPoint("sent");
  await noteHealth(pending, failure, context);
  const { dueAtMs: _, ...kept } = delivery;
  const { reason: __, ...next } = decision;
  return { ...kept, ...next, attempts };
}

/** Records that a notifier is broken, and reports it to the user. Removes the record once the notifier works. */
async function noteHealth({ configured, event }: PendingDelivery, failure: Failure | undefined, context: RunContext) {
  const queue = context.queues.of(configured.name);
  if (!failure) queue.forgetBroken();
  else if (failure.reason === "auth") {
    const { isTransient } = failure;
    const hint = failure.hint === undefined ? undefined : context.redact(failure.hint);
    const reason = context.redact(failure.message);
    const report = () => reportBroken(configured, reason, event, context);
    await queue.noteBroken(configured, { reason, isTransient, ...omitUndefined({ hint }) }, report);
  }
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
 * this machine, failed if a retry is useless or would bring a sample late, expired if a retry would come too late, and
 * otherwise due again later.
 */
function decideRetry(
  pending: PendingDelivery,
  { failure, attempts, tookMs }: { readonly failure: Failure; readonly attempts: number; readonly tookMs: number },
  context: RunContext,
): Decision {
  const { configured } = pending;
  const said = failure.said === undefined ? "" : `; it said: ${cleanLine(failure.said)}`;
  const reason = `${failure.reason}: ${failure.message}${said}`;
  if (failure.reason === "unsupported") return { status: "skipped", reason };
  const isOnce = configured.notifier.retries === false || isSampleSession(pending.event.sessionId);
  if (!failure.isTransient || isOnce) return { status: "failed", reason };
  const nowMs = context.ports.clock.now();
  const dueAtMs = nextDueAtMs(pending, attempts, context, failure.retryAfterMs);
  const pauseMs =
    failure.retryAfterMs ?? (tookMs < slowFailureMs ? 0 : Math.min(maxSlowFailurePauseMs, dueAtMs - nowMs));
  if (pauseMs > 0) context.queues.of(configured.name).pause(configured, nowMs + pauseMs);
  if (dueAtMs <= expiryMs(pending, context)) return { status: "open", dueAtMs, reason };
  return { status: "expired", reason: `${reason}; the next attempt would come too late` };
}

/**
 * Computes the time of the next attempt, Unix milliseconds. A delivery that was released before its time and failed
 * keeps its old schedule, unless the receiver asked for a pause.
 */
function nextDueAtMs(pending: PendingDelivery, attempts: number, context: RunContext, askedMs = 0): number {
  const { delivery, scheduledAtMs } = pending;
  const nowMs = context.ports.clock.now();
  const scheduleAtMs = () => nowMs + waitMs(attempts - (delivery.releases ?? 0), context.config.delivery, askedMs);
  const isAsked = scheduledAtMs !== undefined && askedMs > 0;
  const dueAtMs = isAsked ? nowMs + askedMs : (scheduledAtMs ?? scheduleAtMs());
  return nextAttemptAtMs(dueAtMs, { nowMs, askedMs, expiresMs: expiryMs(pending, context) });
}

/** Computes when a delivery expires, Unix milliseconds, counted from the end of its hold, or else from its due time. */
function expiryMs({ delivery, freshAtMs, event }: PendingDelivery, { config }: RunContext): number {
  const dueAtMs = event.atMs + (delivery.afterMs ?? 0);
  return Math.max(freshAtMs, delivery.freshAtMs ?? 0, dueAtMs) + config.delivery.expire[event.kind];
}
