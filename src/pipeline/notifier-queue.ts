import { join } from "node:path";
import * as z from "zod";
import { isGroupable } from "../attention/groups.ts";
import { type ConfiguredNotifier, readAudience } from "../config/config.ts";
import type { AgentEvent } from "../core/event.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { once } from "../core/once.ts";
import type { ClockPort } from "../core/ports.ts";
import { type Kind, kinds } from "../core/vocabulary.ts";
import { fingerprint, readStateFile, writeStateFile } from "../files/atomic-file.ts";
import type { Paths } from "../files/paths.ts";
import { isDue } from "../spool/entry.ts";
import { spoolBounds } from "../spool/sweep.ts";
import type { Delivery, PendingDelivery } from "./run-state.ts";

/** Maximum number of simultaneous attempts of a notifier, unless its declaration sets another limit. */
const defaultMaxInFlight = 2;
/** Maximum number of deliveries that wait for one notifier's slots: as many as the spool can hold events. */
const maxWaiting = spoolBounds.files;

/** Time after the failure of a released delivery in which the delivery is not released again: one minute. */
const releaseRetryMs = 60_000;
/** Longest time for which an unfinished release prevents the next release: one minute. */
const maxReleaseMs = 60_000;

/** Pause before a broken notifier with unchanged settings is tried again: one hour. */
const brokenRetryMs = 3_600_000;

/** Delivery of an event whose last attempt failed and that waits for its next attempt. */
export interface WaitingDelivery extends Pick<AgentEvent, "id" | "atMs" | "kind"> {
  readonly notifier: string;
  /** Number of the delivery's message among the notifier's messages about this event, from 0. */
  readonly step: number;
}

type SlotOutcome = "granted" | "evicted" | "recalled";

/** Attempt that waits for a slot. */
interface Waiter {
  /** Urgency of the delivery; 0 is the most urgent. */
  readonly rank: number;
  readonly end: (outcome: SlotOutcome) => void;
}

const brokenSchema = once(() =>
  z.object({
    sinceMs: z.number(),
    /** Time of the next attempt, Unix milliseconds. */
    untilMs: z.number(),
    /** Cause of the rejection, without secrets. */
    reason: z.string(),
    /** Advice on how to fix the cause, if the notifier has any. */
    hint: z.string().optional(),
    /** Fingerprint of the rejected settings. */
    settings: z.string(),
    /** True once the user was notified. */
    isReported: z.boolean(),
  }),
);

/** Notifier whose receiver rejects its address or credentials (401, 403, 404, 410), or whose secret is missing. */
type BrokenNotifier = z.output<ReturnType<typeof brokenSchema>>;

/** Settings that a pause or a rejection is about. After a change, the new settings may name another receiver. */
type Configured = Pick<ConfiguredNotifier, "settings">;

/**
 * Decides when one notifier may send. Limits its concurrent attempts, so that it delays only its own messages; the most
 * urgent go first. After a success, releases the oldest delivery that waits for its next attempt: it becomes due at
 * once, together with others that fit into the same message. If it succeeds too, the next one is released, and so on.
 * Stores a pause, because the receiver asked for one or an attempt failed slowly, and the notifier's record if it is
 * broken.
 */
export class NotifierQueue {
  readonly #name: string;
  readonly #queues: NotifierQueues;
  #inFlight = 0;
  #maxInFlight = defaultMaxInFlight;
  /** Attempts that wait for a slot, the most urgent first. Equally urgent ones are in order of arrival. */
  readonly #waiting: Waiter[] = [];
  /** Deliveries that wait for their next attempt, by key. */
  readonly #retries = new Map<string, WaitingDelivery>();
  /** Keys of the deliveries that were released together and have no result yet, and the time of their release. */
  #release = { keys: new Set<string>(), sinceMs: 0 };
  /** Earliest time of the next release, by delivery, Unix milliseconds. */
  readonly #notBeforeMs = new Map<string, number>();
  /** Time of the last successful delivery, Unix milliseconds. */
  #sentAtMs = 0;
  /** True while a report about the broken notifier is being sent. Several events may find it broken at once. */
  #isBeingReported = false;

  constructor(name: string, queues: NotifierQueues) {
    this.#name = name;
    this.#queues = queues;
  }

  /**
   * Calls `act` in one of the notifier's slots, once one is free. Without a call, resolves to `evicted` if too many newer
   * or more urgent attempts wait, or to `recalled` if the event must go back to the spool.
   */
  async run<T>(
    { notifier }: { readonly notifier: Pick<ConfiguredNotifier["notifier"], "maxInFlight"> },
    kind: Kind,
    act: () => Promise<T>,
  ): Promise<T | "evicted" | "recalled"> {
    this.#maxInFlight = notifier.maxInFlight ?? defaultMaxInFlight;
    const outcome = await new Promise<SlotOutcome>((end) => {
      const rank = kinds.indexOf(kind);
      this.#waiting.splice(this.#waiting.findLastIndex((waiter) => waiter.rank <= rank) + 1, 0, { rank, end });
      this.#grant();
      if (this.#waiting.length > maxWaiting) this.#evict();
    });
    if (outcome !== "granted") return outcome;
    try {
      return await act();
    } finally {
      this.#inFlight -= 1;
      this.#grant();
    }
  }

  /** Ends every wait for a slot, because another worker or a new configuration takes over. */
  recall(): void {
    for (const { end } of this.#waiting.splice(0)) end("recalled");
  }

  #grant(): void {
    while (this.#inFlight < this.#maxInFlight && this.#waiting.length > 0) {
      if (this.#queues.isStopped()) {
        this.#queues.recall();
        return;
      }
      this.#inFlight += 1;
      this.#waiting.shift()?.end("granted");
    }
  }

  /** Evicts the oldest of the least urgent waiting attempts. */
  #evict(): void {
    const lowest = this.#waiting.at(-1)?.rank;
    const oldest = this.#waiting.findIndex(({ rank }) => rank === lowest);
    for (const { end } of this.#waiting.splice(oldest, 1)) end("evicted");
  }

  /**
   * Notes that a delivery has the opportunity of an attempt. If the delivery was released, returns it as due now, with
   * its old due time, which is kept if the attempt fails. It cannot be released again until `end`.
   */
  begin(pending: PendingDelivery): PendingDelivery {
    const key = buildKey(pending);
    this.#retries.delete(key);
    if (!this.#release.keys.has(key)) return pending;
    const { dueAtMs, ...delivery } = pending.delivery;
    return { ...pending, ...omitUndefined({ scheduledAtMs: dueAtMs }), isReleased: true, delivery };
  }

  /**
   * Notes the delivery's state after the opportunity; undefined if its event goes back to the spool. After a success,
   * or if a released delivery was dropped for good, releases the next delivery. Returns the state to store.
   */
  end(pending: PendingDelivery, next: Delivery | undefined): Delivery | undefined {
    const key = buildKey(pending);
    const { delivery, event, isReleased } = pending;
    const nowMs = this.#queues.clock.now();
    const isSent = next?.status === "sent";
    const hasFailed = !isSent && next !== undefined && next.attempts > delivery.attempts;
    const isDropped = next !== undefined && next.status !== "open" && !isSent && !hasFailed;
    if (isSent) this.#sentAtMs = nowMs;
    const wasReleased = this.#release.keys.delete(key);
    if (wasReleased && hasFailed) this.#notBeforeMs.set(key, nowMs + releaseRetryMs);
    else if (isSent || isDropped) this.#notBeforeMs.delete(key);
    const isUnderWay = this.#release.keys.size > 0 && nowMs - this.#release.sinceMs < maxReleaseMs;
    if (!isUnderWay) {
      this.#release.keys.clear();
      if (isSent || (wasReleased && isDropped)) this.#releaseNext(pending.configured, nowMs);
    }
    const { status, attempts, step = 0 } = next ?? delivery;
    const { id, atMs, kind } = event;
    if (status === "open" && attempts > 0) this.add({ notifier: this.#name, id, step, atMs, kind });
    return next && isReleased && hasFailed ? { ...next, releases: (next.releases ?? 0) + 1 } : next;
  }

  /** Adds a delivery that waits for its next attempt. */
  add(waiting: WaitingDelivery): void {
    this.#retries.set(`${waiting.id}#${waiting.step}`, waiting);
  }

  #releaseNext(configured: ConfiguredNotifier, nowMs: number): void {
    this.#queues.loadWaiting();
    const ready = [...this.#retries].filter(([key]) => isDue(this.#notBeforeMs.get(key) ?? 0, nowMs));
    const [oldest] = ready.sort(([, a], [, b]) => a.atMs - b.atMs);
    if (!oldest) return;
    const isDigested = readAudience(configured) === "person" && isGroupable(oldest[1]);
    const released = isDigested ? ready.filter(([, waiting]) => isGroupable(waiting)) : [oldest];
    for (const [key] of released) this.#retries.delete(key);
    this.#release = { keys: new Set(released.map(([key]) => key)), sinceMs: nowMs };
    for (const [, { id }] of released) this.#queues.announce(id);
  }

  /** True if any delivery of an event was released and has no result yet. */
  hasReleased(eventId: string): boolean {
    return [...this.#release.keys].some((key) => key.startsWith(`${eventId}#`));
  }

  /** True if a message was sent after this failure to change another one, and the failure is at least a minute old. */
  hasRecovered(failedAtMs: number): boolean {
    return this.#sentAtMs > failedAtMs && this.#queues.clock.now() - failedAtMs >= releaseRetryMs;
  }

  /** Returns the end of the notifier's pause, Unix milliseconds; 0 if it is not paused. */
  pausedUntilMs(configured: Configured): number {
    return this.#queues.pausedUntilMs.get(this.#pauseKey(configured)) ?? 0;
  }

  /** Pauses the notifier until `untilMs`, unless it is already paused for longer. */
  pause(configured: Configured, untilMs: number): void {
    const { pausedUntilMs, pausesFile, clock } = this.#queues;
    for (const [key, atMs] of pausedUntilMs) if (isDue(atMs, clock.now())) pausedUntilMs.delete(key);
    if (untilMs <= this.pausedUntilMs(configured)) return;
    pausedUntilMs.set(this.#pauseKey(configured), untilMs);
    writeStateFile(pausesFile, Object.fromEntries(pausedUntilMs));
  }

  #pauseKey({ settings }: Configured): string {
    return `${this.#name} ${fingerprint(settings)}`;
  }

  /** Returns the notifier's record if it is broken with its current settings; undefined if it is not broken. */
  findBroken({ settings }: Configured): BrokenNotifier | undefined {
    const known = this.#readBroken()[this.#name];
    return known?.settings === fingerprint(settings) ? known : undefined;
  }

  /**
   * Records a rejection. Postpones the next attempt by an hour unless the cause is transient: a missing secret, which may
   * be there at the next attempt. Keeps `sinceMs` and `isReported` of an earlier rejection.
   * @param report reports the rejection to the user, unless that was or is being done; resolves to true if the report
   * reached the user
   */
  async noteBroken(
    configured: Configured,
    { isTransient, ...rejection }: Pick<BrokenNotifier, "reason" | "hint"> & { readonly isTransient?: boolean },
    report: () => Promise<boolean>,
  ): Promise<void> {
    const nowMs = this.#queues.clock.now();
    const { sinceMs, isReported } = this.findBroken(configured) ?? { sinceMs: nowMs, isReported: false };
    const untilMs = isTransient ? nowMs : nowMs + brokenRetryMs;
    this.#writeBroken({ sinceMs, untilMs, ...rejection, settings: fingerprint(configured.settings), isReported });
    if (isReported || this.#isBeingReported || !this.findBroken(configured)) return;
    this.#isBeingReported = true;
    try {
      const hasReached = await report();
      const current = this.#readBroken()[this.#name];
      if (hasReached && current) this.#writeBroken({ ...current, isReported: true });
    } finally {
      this.#isBeingReported = false;
    }
  }

  /** Lets a broken notifier be tried again now. */
  tryAgain(): void {
    const { [this.#name]: known } = this.#readBroken();
    if (known) this.#writeBroken({ ...known, untilMs: 0 });
  }

  /** Removes the notifier's record because it works again. */
  forgetBroken(): void {
    const { [this.#name]: known, ...others } = this.#readBroken();
    if (known) writeStateFile(this.#queues.brokenFile, others);
  }

  #readBroken(): Record<string, BrokenNotifier> {
    return readStateFile(this.#queues.brokenFile, () => z.record(z.string(), brokenSchema()), {});
  }

  #writeBroken(record: BrokenNotifier): void {
    writeStateFile(this.#queues.brokenFile, { ...this.#readBroken(), [this.#name]: record });
  }
}

function buildKey({ event, delivery: { step = 0 } }: PendingDelivery): string {
  return `${event.id}#${step}`;
}

/** Parts of a worker that the queues use. */
interface QueueOptions {
  /** Returns true once the worker must make no more attempts; called before each attempt. */
  readonly isStopped?: () => boolean;
  /** Lists the deliveries waiting in the spool; called once, at the first success. */
  readonly listWaiting?: () => readonly WaitingDelivery[];
}

/** Queues of all notifiers, by the notifier's name, and what they share. */
export class NotifierQueues {
  readonly clock: Pick<ClockPort, "now">;
  readonly isStopped: () => boolean;
  /** Adds the deliveries in the spool to their queues, at the first call. */
  readonly loadWaiting: () => void;
  /** Ends of pauses by notifier and settings, Unix milliseconds. Stored in a file, so they outlast the worker. */
  readonly pausedUntilMs: Map<string, number>;
  readonly pausesFile: string;
  /** Path of the file of broken notifiers by name. Shared with commands, so each call reads it again. */
  readonly brokenFile: string;
  readonly #queues = new Map<string, NotifierQueue>();
  readonly #listeners = new Set<(eventId: string) => void>();

  constructor(
    { state }: Pick<Paths, "state">,
    clock: Pick<ClockPort, "now">,
    { isStopped = () => false, listWaiting = () => [] }: QueueOptions = {},
  ) {
    this.clock = clock;
    this.isStopped = isStopped;
    this.loadWaiting = once(() => {
      for (const waiting of listWaiting()) this.of(waiting.notifier).add(waiting);
    });
    this.pausesFile = join(state, "pauses.json");
    const stored = readStateFile(this.pausesFile, () => z.record(z.string(), z.number()), {});
    this.pausedUntilMs = new Map(Object.entries(stored));
    this.brokenFile = join(state, "broken.json");
  }

  /** Returns the queue of a notifier. */
  of(name: string): NotifierQueue {
    const queue = this.#queues.get(name) ?? new NotifierQueue(name, this);
    this.#queues.set(name, queue);
    return queue;
  }

  /** Ends every wait for a slot; the events go back to the spool. */
  recall(): void {
    for (const queue of this.#queues.values()) queue.recall();
  }

  /** Calls `onRelease` with the event's id for each released delivery. Returns a function that unsubscribes. */
  subscribe(onRelease: (eventId: string) => void): () => void {
    this.#listeners.add(onRelease);
    return () => void this.#listeners.delete(onRelease);
  }

  /** Tells the subscribers that a delivery of an event is released. */
  announce(eventId: string): void {
    for (const onRelease of this.#listeners) onRelease(eventId);
  }

  /** True if any delivery of an event was released and has no result yet. */
  hasReleased(eventId: string): boolean {
    return [...this.#queues.values()].some((queue) => queue.hasReleased(eventId));
  }
}
