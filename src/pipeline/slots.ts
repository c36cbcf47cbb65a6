import { join } from "node:path";
import * as z from "zod";
import type { ConfiguredNotifier } from "../config/config.ts";
import { once } from "../core/once.ts";
import { type Kind, kinds } from "../core/vocabulary.ts";
import { fingerprint, readStateFile, writeStateFile } from "../files/atomic-file.ts";
import type { Paths } from "../files/paths.ts";
import { isDue } from "../spool/entry.ts";
import { spoolBounds } from "../spool/sweep.ts";

/** Maximum number of simultaneous attempts of a notifier, unless its declaration sets another limit. */
const defaultMaxInFlight = 2;

/** Maximum number of deliveries that wait for one notifier's slots: as many as the spool can hold events. */
const maxWaiting = spoolBounds.files;

/**
 * Result of waiting for a slot. `granted`: the caller has a slot and must release it. `evicted`: the delivery was given
 * up, because too many newer or more urgent deliveries wait. `recalled`: the event goes back to the spool.
 */
export type SlotOutcome = "granted" | "evicted" | "recalled";

interface Waiter {
  /** Urgency of the delivery; 0 is the most urgent. */
  readonly rank: number;
  readonly end: (outcome: SlotOutcome) => void;
}

interface Lane {
  max: number;
  inFlight: number;
  /** Waiting deliveries, the most urgent first. Equally urgent deliveries are in order of arrival. */
  readonly waiting: Waiter[];
}

type LimitedNotifier = Pick<ConfiguredNotifier, "name"> & {
  readonly notifier: Pick<ConfiguredNotifier["notifier"], "maxInFlight">;
};

/**
 * Limits the number of concurrent attempts per notifier. Notifiers do not share slots, so a slow notifier delays only
 * its own messages. The most urgent deliveries go first.
 */
export class Slots {
  readonly #lanes = new Map<string, Lane>();
  readonly #isStopped: () => boolean;

  /** @param isStopped true once the worker must make no more attempts; called before each attempt */
  constructor(isStopped: () => boolean = () => false) {
    this.#isStopped = isStopped;
  }

  /** Waits for one of the notifier's slots. */
  take({ name, notifier }: LimitedNotifier, kind: Kind): Promise<SlotOutcome> {
    const lane = this.#lanes.get(name) ?? { max: 0, inFlight: 0, waiting: [] };
    this.#lanes.set(name, lane);
    lane.max = notifier.maxInFlight ?? defaultMaxInFlight;
    return new Promise((end) => {
      enqueue(lane.waiting, { rank: kinds.indexOf(kind), end });
      this.#grant(lane);
      if (lane.waiting.length > maxWaiting) evictOldest(lane.waiting);
    });
  }

  /** Gives back a granted slot. */
  release({ name }: Pick<LimitedNotifier, "name">): void {
    const lane = this.#lanes.get(name);
    if (!lane) return;
    lane.inFlight -= 1;
    this.#grant(lane);
  }

  /** Ends every wait with `recalled`, because another worker or a new configuration takes over. */
  recall(): void {
    for (const { waiting } of this.#lanes.values()) for (const { end } of waiting.splice(0)) end("recalled");
  }

  #grant(lane: Lane): void {
    while (lane.inFlight < lane.max && lane.waiting.length > 0) {
      if (this.#isStopped()) {
        this.recall();
        return;
      }
      lane.inFlight += 1;
      lane.waiting.shift()?.end("granted");
    }
  }
}

function enqueue(waiting: Waiter[], waiter: Waiter): void {
  const index = waiting.findIndex(({ rank }) => rank > waiter.rank);
  waiting.splice(index < 0 ? waiting.length : index, 0, waiter);
}

/** Evicts the oldest of the least urgent waiting deliveries. */
function evictOldest(waiting: Waiter[]): void {
  const lowest = waiting.at(-1)?.rank;
  const [evicted] = waiting.splice(
    waiting.findIndex(({ rank }) => rank === lowest),
    1,
  );
  evicted?.end("evicted");
}

/** Delivery whose last attempt failed and that waits for its next attempt. */
export interface WaitingDelivery {
  readonly notifier: string;
  /** Id of the event. */
  readonly id: string;
  /** Number of the delivery's message among the notifier's messages about this event, from 0. */
  readonly step: number;
  /** Arrival time of the event, Unix milliseconds. */
  readonly atMs: number;
  readonly kind: Kind;
}

/**
 * Outcome of an opportunity to attempt a delivery: `sent` or `failed` if it was attempted, otherwise `dropped` for good
 * or `postponed` for now.
 */
export type TurnOutcome = "sent" | "failed" | "dropped" | "postponed";

/** Time after the failure of a released delivery in which the delivery is not released again: one minute. */
const releaseRetryMs = 60_000;

/** Longest time for which an unfinished release prevents the next release: one minute. */
const maxReleaseMs = 60_000;

interface Release {
  readonly keys: Set<string>;
  readonly sinceMs: number;
}

/**
 * Deliveries that wait for their next attempt, by notifier. After a successful delivery, the notifier's oldest waiting
 * delivery is released: it becomes due at once, together with others that fit into the same message. If it succeeds
 * too, the next one is released, and so on.
 */
export class Backlog {
  readonly #load: () => readonly WaitingDelivery[];
  #isLoaded = false;
  readonly #waiting = new Map<string, WaitingDelivery>();
  readonly #releases = new Map<string, Release>();
  /** Earliest time of the next release, by delivery, Unix milliseconds. */
  readonly #notBeforeMs = new Map<string, number>();
  /** Time of the last successful delivery, by notifier, Unix milliseconds. */
  readonly #sentAtMs = new Map<string, number>();
  readonly #listeners = new Set<(eventId: string) => void>();

  /** @param load lists the deliveries waiting in the spool; called once, at the first success */
  constructor(load: () => readonly WaitingDelivery[] = () => []) {
    this.#load = load;
  }

  /** Calls `onRelease` with the event's id for each released delivery. Returns a function that unsubscribes. */
  subscribe(onRelease: (eventId: string) => void): () => void {
    this.#listeners.add(onRelease);
    return () => void this.#listeners.delete(onRelease);
  }

  /** True if a delivery was released, and is therefore due before its time. */
  isReleased(delivery: WaitingDelivery): boolean {
    return this.#releases.get(delivery.notifier)?.keys.has(deliveryKey(delivery)) === true;
  }

  /** True if any delivery of an event was released. */
  hasReleased(eventId: string): boolean {
    return [...this.#releases.values()].some(({ keys }) => [...keys].some((key) => key.startsWith(`${eventId}#`)));
  }

  /** True if a notifier has sent a message after it failed to change one, and the failure is at least a minute old. */
  hasRecovered(notifier: string, failedAtMs: number, nowMs: number): boolean {
    return (this.#sentAtMs.get(notifier) ?? 0) > failedAtMs && nowMs - failedAtMs >= releaseRetryMs;
  }

  /** Notes that a delivery is about to be attempted. It cannot be released until it is passed to `wait` again. */
  begin(delivery: WaitingDelivery): void {
    this.#waiting.delete(deliveryKey(delivery));
  }

  /** Notes that a delivery waits for its next attempt. */
  wait(delivery: WaitingDelivery): void {
    this.#waiting.set(deliveryKey(delivery), delivery);
  }

  /**
   * Notes the outcome of an opportunity to attempt a delivery. After a success, or if a released delivery was dropped,
   * releases the next delivery.
   */
  end(delivery: WaitingDelivery, outcome: TurnOutcome, { isDigested, nowMs }: ReleaseRule): void {
    const { notifier } = delivery;
    const key = deliveryKey(delivery);
    if (outcome === "sent") this.#sentAtMs.set(notifier, nowMs);
    const release = this.#releases.get(notifier);
    const wasReleased = release?.keys.delete(key) === true;
    if (wasReleased && outcome === "failed") this.#notBeforeMs.set(key, nowMs + releaseRetryMs);
    else if (outcome === "sent" || outcome === "dropped") this.#notBeforeMs.delete(key);
    const isUnderWay = release !== undefined && release.keys.size > 0 && nowMs - release.sinceMs < maxReleaseMs;
    if (isUnderWay) return;
    this.#releases.delete(notifier);
    if (outcome === "sent" || (wasReleased && outcome === "dropped")) this.#release(notifier, { isDigested, nowMs });
  }

  #release(notifier: string, { isDigested, nowMs }: ReleaseRule): void {
    this.#loadOnce();
    const isReady = (key: string): boolean => isDue(this.#notBeforeMs.get(key) ?? 0, nowMs);
    const ready = [...this.#waiting].filter(([key, delivery]) => delivery.notifier === notifier && isReady(key));
    const [oldest] = ready.sort(([, a], [, b]) => a.atMs - b.atMs);
    if (!oldest) return;
    const next = isDigested(oldest[1].kind) ? ready.filter(([, { kind }]) => isDigested(kind)) : [oldest];
    for (const [key] of next) this.#waiting.delete(key);
    this.#releases.set(notifier, { keys: new Set(next.map(([key]) => key)), sinceMs: nowMs });
    for (const [, { id }] of next) for (const onRelease of this.#listeners) onRelease(id);
  }

  #loadOnce(): void {
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    for (const delivery of this.#load()) this.wait(delivery);
  }
}

/** Inputs for choosing the deliveries to release. */
interface ReleaseRule {
  /** True if the notifier sends all waiting messages of this kind as one message. */
  readonly isDigested: (kind: Kind) => boolean;
  readonly nowMs: number;
}

function deliveryKey({ id, step, notifier }: WaitingDelivery): string {
  return `${id}#${step} ${notifier}`;
}

type Configured = Pick<ConfiguredNotifier, "name" | "settings">;

/**
 * Pauses of notifiers, because a receiver asked for one or an attempt failed slowly. They are stored in a file, so they
 * outlast the worker. A change of the notifier's settings ends its pause, because the new settings may name another
 * receiver.
 */
export class Pauses {
  readonly #file: string;
  readonly #untilMs: Map<string, number>;

  constructor(file: string) {
    this.#file = file;
    this.#untilMs = new Map(Object.entries(readStateFile(file, () => z.record(z.string(), z.number()), {})));
  }

  /** Returns the end of a notifier's pause, Unix milliseconds; 0 if it is not paused. */
  untilMs(notifier: Configured): number {
    return this.#untilMs.get(buildKey(notifier)) ?? 0;
  }

  /** Pauses a notifier until `untilMs`, unless it is already paused for longer. */
  pause(notifier: Configured, untilMs: number, nowMs: number): void {
    for (const [key, at] of this.#untilMs) if (isDue(at, nowMs)) this.#untilMs.delete(key);
    if (untilMs <= this.untilMs(notifier)) return;
    this.#untilMs.set(buildKey(notifier), untilMs);
    writeStateFile(this.#file, Object.fromEntries(this.#untilMs));
  }
}

function buildKey({ name, settings }: Configured): string {
  return `${name} ${fingerprint(settings)}`;
}

/** Pause before a broken notifier with unchanged settings is tried again: one hour. */
const brokenRetryMs = 3_600_000;

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

/** Reason why a notifier is broken. Transient for a missing secret, which may be there at the next attempt. */
interface Rejection extends Pick<BrokenNotifier, "reason" | "hint"> {
  readonly isTransient?: boolean;
}

/** Returns the path of the file that lists broken notifiers. */
export function brokenFile({ state }: Pick<Paths, "state">): string {
  return join(state, "broken.json");
}

/** Record of broken notifiers by name, in a file that the worker and commands share and that each call reads again. */
export class BrokenNotifiers {
  readonly #file: string;
  /** Names of notifiers about which a report is being sent. Several events may find a notifier broken at once. */
  readonly #beingReported = new Set<string>();

  constructor(file: string) {
    this.#file = file;
  }

  /** Returns the record of a notifier that is broken with its current settings; undefined if it is not broken. */
  find({ name, settings }: Configured): BrokenNotifier | undefined {
    const known = this.#read()[name];
    return known?.settings === fingerprint(settings) ? known : undefined;
  }

  /**
   * Records a rejection. Postpones the next attempt by an hour unless the cause is transient. Keeps `sinceMs` and
   * `isReported` of an earlier rejection.
   */
  note(configured: Configured, { isTransient, ...rejection }: Rejection, nowMs: number): void {
    const { sinceMs, isReported } = this.find(configured) ?? { sinceMs: nowMs, isReported: false };
    const settings = fingerprint(configured.settings);
    const untilMs = isTransient ? nowMs : nowMs + brokenRetryMs;
    this.#write({ ...this.#read(), [configured.name]: { sinceMs, untilMs, ...rejection, settings, isReported } });
  }

  /**
   * Reports to the user that a notifier is broken, unless a report was sent or is being sent.
   * @param report sends the report; resolves to true if the report reached the user
   */
  async reportOnce(configured: Configured, report: (known: BrokenNotifier) => Promise<boolean>): Promise<void> {
    const { name } = configured;
    const known = this.find(configured);
    if (!known || known.isReported || this.#beingReported.has(name)) return;
    this.#beingReported.add(name);
    try {
      const isReported = await report(known);
      const all = this.#read();
      if (isReported && all[name]) this.#write({ ...all, [name]: { ...all[name], isReported } });
    } finally {
      this.#beingReported.delete(name);
    }
  }

  /** Removes a notifier from the file because it works again. */
  forget({ name }: Pick<Configured, "name">): void {
    const { [name]: known, ...others } = this.#read();
    if (known) this.#write(others);
  }

  #read(): Record<string, BrokenNotifier> {
    return readStateFile(this.#file, () => z.record(z.string(), brokenSchema()), {});
  }

  #write(all: Record<string, BrokenNotifier>): void {
    writeStateFile(this.#file, all);
  }
}
