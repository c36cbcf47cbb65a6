import type { Kind } from "../core/vocabulary.ts";
import { isDue } from "../spool/entry.ts";

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
export interface ReleaseRule {
  /** True if the notifier sends all waiting messages of this kind as one message. */
  readonly isDigested: (kind: Kind) => boolean;
  readonly nowMs: number;
}

function deliveryKey({ id, step, notifier }: WaitingDelivery): string {
  return `${id}#${step} ${notifier}`;
}
