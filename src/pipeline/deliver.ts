import { type Group, isGroupable, makeGroup } from "../attention/groups.ts";
import { previousReceipt, recordMessage } from "../attention/messages.ts";
import { explainResolved } from "../attention/rules.ts";
import { groupKey, notifierThreadKey, threadKey } from "../attention/session-keys.ts";
import { type ConfiguredNotifier, readAudience } from "../config/config.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Reaction } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { ClockPort, Timer } from "../core/ports.ts";
import { crashPoint } from "../files/crash-point.ts";
import { identifyEvent, type JournalLine } from "../journal/journal-line.ts";
import { isDue } from "../spool/entry.ts";
import { cleanLine } from "../text/clean.ts";
import { longestTimerMs } from "../text/time.ts";
import { findConcern, reactTo, withOpenRequests } from "./alerts.ts";
import { type AttemptResult, attempt, type Failure, messageId } from "./attempt.ts";
import type { RunContext } from "./context.ts";
import { reportBroken } from "./notices.ts";
import { expiresAtMs, nextAttemptAtMs, waitMs } from "./retry-schedule.ts";
import {
  buildOutgoing,
  type Delivery,
  listEvents,
  type OutgoingEvent,
  type PendingDelivery,
  type RunState,
} from "./run-state.ts";
import type { TurnOutcome, WaitingDelivery } from "./slots.ts";

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
  const { backlog, ports } = context;
  const { clock } = ports;
  const round = new DeliveryRound(clock);
  const entries = Object.entries(deliveries).map(async ([name, delivery]): Promise<[string, Delivery][]> => {
    const configured = context.config.notifiers.get(delivery.notifier ?? name);
    if (delivery.status !== "open") return [[name, delivery]];
    if (!configured) return [];
    if (delivery.isUndecided) return [[name, delivery]]; // on hold
    const tryOnce = (current: Delivery) =>
      round.run(() => takeTurn({ event, facts, configured, delivery: current, freshAtMs }, context));
    let current = delivery;
    for (;;) {
      const next = await tryOnce(current);
      if (next?.status !== "open") return [[name, next ?? current]];
      current = next;
      const onRelease = (wake: () => void) => backlog.subscribe((id) => id === event.id && wake());
      await round.waitForEnd((current.dueAtMs ?? 0) - clock.now(), onRelease);
      if (round.hasEnded) return [[name, current]];
    }
  });
  return Object.fromEntries((await Promise.all(entries)).flat());
}

/** Period during which at least one delivery of an event is being attempted. */
class DeliveryRound {
  readonly #clock: ClockPort;
  #underWay = 0;
  #end = (): void => {};
  readonly #ended = new Promise<void>((resolve) => {
    this.#end = resolve;
  });

  /** True if `run` was called at least once and no call is in progress. */
  hasEnded = false;

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  async run<T>(act: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await act();
    } finally {
      this.#underWay -= 1;
      this.hasEnded = this.#underWay === 0;
      if (this.hasEnded) this.#end();
    }
  }

  /** Resolves when the round ends, when the function passed to `subscribe` is called, or after `ms` milliseconds. */
  async waitForEnd(ms: number, subscribe: (wake: () => void) => () => void): Promise<void> {
    let timer: Timer | undefined;
    let unsubscribe = (): void => {};
    const due = new Promise<void>((resolve) => {
      timer = this.#clock.after(Math.min(ms, longestTimerMs), resolve);
      unsubscribe = subscribe(resolve);
    });
    await Promise.race([this.#ended, due]);
    timer?.cancel();
    unsubscribe();
  }
}

/**
 * Makes a delivery's next attempt with `deliver`, before its time if the delivery was released. A success releases the
 * next delivery that waits for the same notifier.
 */
async function takeTurn(pending: PendingDelivery, context: RunContext): Promise<Delivery | undefined> {
  const { backlog, ports } = context;
  const { event, configured, delivery } = pending;
  const { id, atMs, kind } = event;
  const waiting = { notifier: configured.name, id, step: delivery.step ?? 0, atMs, kind };
  const isReleased = backlog.isReleased(waiting);
  backlog.begin(waiting);
  const next = await deliver(isReleased ? releaseEarly(pending) : pending, context);
  const isDigested = (kind: WaitingDelivery["kind"]): boolean =>
    readAudience(configured) === "person" && isGroupable({ kind });
  const outcome = readOutcome(delivery, next);
  backlog.end(waiting, outcome, { isDigested, nowMs: ports.clock.now() });
  const left = next ?? delivery;
  if (left.status === "open" && left.attempts > 0) backlog.wait(waiting);
  return next && isReleased && outcome === "failed" ? { ...next, releases: (next.releases ?? 0) + 1 } : next;
}

/** Makes a delivery due now. Remembers its old due time, which is kept if the attempt fails. */
function releaseEarly(pending: PendingDelivery): PendingDelivery {
  const { dueAtMs, ...delivery } = pending.delivery;
  return { ...pending, ...omitUndefined({ scheduledAtMs: dueAtMs }), isReleased: true, delivery };
}

function readOutcome(before: Delivery, next: Delivery | undefined): TurnOutcome {
  if (next?.status === "sent") return "sent";
  if (next && next.attempts > before.attempts) return "failed";
  return next && next.status !== "open" ? "dropped" : "postponed";
}

type DeliveryLine = Pick<JournalLine, "status" | "reason" | "attempt" | "tookMs">;

/**
 * Makes the next attempt of a delivery, unless there is an obstacle, such as a pause of its notifier. Waits for one of
 * the notifier's slots, and for other deliveries that join the same message. Returns the delivery's new state;
 * undefined if the event must go back to the spool. Never throws.
 */
export async function deliver(pending: PendingDelivery, context: RunContext): Promise<Delivery | undefined> {
  const withoutTry = settleWithoutAttempt(pending, context);
  if (withoutTry) return withoutTry;
  const group = await joinGroup(pending, context);
  const outcome = await group.once(() => tryInSlot(group.members, context));
  if (outcome === "recalled") return undefined;
  if (outcome === "evicted") return expire(pending, "evicted: too many messages wait for this notifier", context);
  if (outcome === "not now") return settleWithoutAttempt(pending, context);
  return settleAttempt(pending, outcome, group.members.length, context);
}

/**
 * Waits for other deliveries to the same notifier that become due at the same time, after a hold or a release. Resolves
 * to the group that is sent as one message.
 */
function joinGroup(pending: PendingDelivery, context: RunContext): Promise<Group<PendingDelivery>> {
  const { configured, event, delivery } = pending;
  const wasHeld = delivery.heldFor !== undefined && delivery.attempts === 0;
  const mayJoin = isGroupable(event) ? wasHeld || pending.isReleased : wasHeld && delivery.heldFor === "silence";
  if (!mayJoin || readAudience(configured) !== "person") return Promise.resolve(makeGroup([pending]));
  return context.groups.join(configured.name, pending);
}

/** Attempt that was made for all members of a group. */
interface MadeAttempt {
  readonly result: AttemptResult;
  readonly tookMs: number;
}

/** Makes one attempt for all members of a group, in one of the notifier's slots. */
async function tryInSlot(
  members: readonly PendingDelivery[],
  context: RunContext,
): Promise<MadeAttempt | "not now" | "evicted" | "recalled"> {
  const [first] = members;
  if (!first) return "not now";
  const { configured, event } = first;
  const slot = await context.slots.take(configured, event.kind);
  if (slot !== "granted") return slot;
  try {
    // One message of a session at a time: a message must not be withdrawn while the next message replaces it.
    return await context.threads.run(notifierThreadKey(first.configured.name, threadKey(first.event)), async () => {
      if (findDeliveryObstacle(first, context)) return "not now";
      const { now } = context.ports.clock;
      const startedAtMs = now();
      const others = members.slice(1);
      const { step } = first.delivery;
      const id = messageId({ event, others, ...omitUndefined({ step }) });
      const group = configured.notifier.lifecycle?.knowsIds ? id : `${event.id}-${startedAtMs}`;
      const outgoing = buildMessage(first, others, group, context);
      const result = await attempt(outgoing, context);
      if (!result.failure) {
        recordSent(outgoing, group, result, context);
        outgoing.offer?.markShown(result.receipt);
      }
      return { result, tookMs: now() - startedAtMs };
    });
  } finally {
    context.slots.release(configured);
  }
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
  const event = withOpenRequests(first.event, context);
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

/** Settles a delivery that cannot be attempted now, and journals the reason; undefined if it can be attempted. */
function settleWithoutAttempt(pending: PendingDelivery, context: RunContext): Delivery | undefined {
  const { delivery } = pending;
  const obstacle = findDeliveryObstacle(pending, context);
  if (obstacle === undefined) return undefined;
  if ("dueAtMs" in obstacle) return { ...delivery, dueAtMs: obstacle.dueAtMs };
  if (obstacle.status === "expired") return expire(pending, obstacle.reason, context);
  write(pending, obstacle, context);
  return { ...delivery, status: obstacle.status };
}

/**
 * Finds the reason not to attempt a delivery now: it has expired, its concern is resolved, it is not due, or its
 * notifier is paused or broken. Undefined if there is none.
 */
function findDeliveryObstacle(
  pending: PendingDelivery,
  context: RunContext,
):
  | { readonly dueAtMs: number }
  | { readonly status: "expired" | "failed" | "skipped"; readonly reason: string }
  | undefined {
  const { delivery, configured, event } = pending;
  const nowMs = context.ports.clock.now();
  const resolvedReason = endsWithConcern(configured) ? explainResolved(findConcern(event, context)) : undefined;
  if (resolvedReason !== undefined) return { status: "skipped", reason: resolvedReason };
  if (nowMs > expiryMs(pending, context)) {
    return { status: "expired", reason: "not delivered in time" };
  }
  const waits = [delivery.dueAtMs ?? 0, context.pauses.untilMs(configured)].filter((at) => !isDue(at, nowMs));
  if (waits.length > 0) return { dueAtMs: Math.max(...waits) };
  const broken = context.broken.find(configured);
  if (!broken || isDue(broken.untilMs, nowMs)) return undefined;
  return { status: "failed", reason: `not tried: ${broken.reason}` };
}

/** True if a message is useless once its concern is resolved: it is for a person, or the receiver keeps states. */
function endsWithConcern(configured: ConfiguredNotifier): boolean {
  const { notifier, settings } = configured;
  return readAudience(configured) === "person" || notifier.lifecycle?.keepsStates?.(settings) === true;
}

function expire(pending: PendingDelivery, reason: string, context: RunContext): Delivery {
  const { dueAtMs: _, ...delivery } = pending.delivery;
  write(pending, { status: "expired", reason, attempt: delivery.attempts }, context);
  return { ...delivery, status: "expired" };
}

function write({ event, configured, delivery }: PendingDelivery, line: DeliveryLine, { journal }: RunContext): void {
  const { step } = delivery;
  journal.write({ ...identifyEvent(event), notifier: configured.name, ...omitUndefined({ step }), ...line });
}

async function settleAttempt(
  pending: PendingDelivery,
  { result: { failure, note }, tookMs }: MadeAttempt,
  members: number,
  context: RunContext,
): Promise<Delivery> {
  const { delivery, configured } = pending;
  const attempts = delivery.attempts + 1;
  const groupRemark = members > 1 ? `in one message with ${members - 1} other${members > 2 ? "s" : ""}` : undefined;
  const remarks = [note, groupRemark].filter(Boolean).join("; ") || undefined;
  const sent: Decision = { status: "sent", line: { status: "sent", ...omitUndefined({ reason: remarks }) } };
  const { line, ...next } = failure ? decideRetry(pending, { failure, attempts, tookMs }, context) : sent;
  write(pending, { ...line, attempt: attempts, tookMs }, context);
  if (!failure) crashPoint("sent");
  await noteHealth(configured, failure, context);
  const { dueAtMs: _, ...kept } = delivery;
  return { ...kept, ...next, attempts };
}

/** Records that a notifier is broken, and reports it to the user. Removes the record once the notifier works. */
async function noteHealth(configured: ConfiguredNotifier, failure: Failure | undefined, context: RunContext) {
  const nowMs = context.ports.clock.now();
  if (!failure) context.broken.forget(configured);
  else if (failure.reason === "auth") {
    const { isTransient } = failure;
    const hint = failure.hint === undefined ? undefined : context.redact(failure.hint);
    const reason = context.redact(failure.message);
    context.broken.note(configured, { reason, isTransient, ...omitUndefined({ hint }) }, nowMs);
    await reportBroken(configured, nowMs, context);
  }
}

/** Status of a delivery after an attempt, and its journal line. */
type Decision = Pick<Delivery, "status" | "dueAtMs"> & {
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
function decideRetry(
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
function expiryMs({ delivery, freshAtMs, event }: PendingDelivery, { config }: RunContext): number {
  return expiresAtMs(Math.max(freshAtMs, delivery.freshAtMs ?? 0), event.kind, config.delivery);
}
