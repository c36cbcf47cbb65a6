import type { Kind } from "../core/vocabulary.ts";
import { isDue } from "../spool/entry.ts";

/** A delivery whose last attempt failed, and which waits for the next one. */
export interface WaitingDelivery {
  readonly notifier: string;
  /** Id of its event. */
  readonly id: string;
  /** Which message of the event at the notifier; 0 is the first. */
  readonly step: number;
  /** When the hook took the event in, Unix milliseconds. */
  readonly atMs: number;
  readonly kind: Kind;
}

/** Result of a delivery's turn: of an attempt, or of the decision to make none, for good or for now. */
export type TurnOutcome = "sent" | "failed" | "dropped" | "postponed";

/** Shortest time between a released attempt that failed and the next release of that delivery. */
const releaseAgainMs = 60_000;
/** Longest time that a release without a result keeps others waiting. */
const maxReleaseMs = 60_000;

interface Release {
  readonly keys: Set<string>;
  readonly sinceMs: number;
}

/**
 * Deliveries that wait for their next attempt, by notifier. A success shows that the notifier works again, and releases
 * the oldest; its success releases the next, until one fails.
 */
export class Backlog {
  readonly #load: () => readonly WaitingDelivery[];
  #isLoaded = false;
  readonly #waiting = new Map<string, WaitingDelivery>();
  readonly #releases = new Map<string, Release>();
  /** Until when deliveries are not released again, Unix milliseconds. */
  readonly #keptUntilMs = new Map<string, number>();
  /** Time of the last success, by notifier, Unix milliseconds. */
  readonly #sentAtMs = new Map<string, number>();
  readonly #listeners = new Set<(eventId: string) => void>();

  /** @param load lists what waits in the spool; called once, at the first success */
  constructor(load: () => readonly WaitingDelivery[] = () => []) {
    this.#load = load;
  }

  /** Calls `onRelease` with the event's id whenever a delivery is released. Returns a function that ends this. */
  subscribe(onRelease: (eventId: string) => void): () => void {
    this.#listeners.add(onRelease);
    return () => void this.#listeners.delete(onRelease);
  }

  /** Checks if a delivery is due before its time. */
  isReleased(delivery: WaitingDelivery): boolean {
    return this.#releases.get(delivery.notifier)?.keys.has(deliveryKey(delivery)) === true;
  }

  /** Checks if any delivery of an event is due before its time. */
  hasReleased(eventId: string): boolean {
    return [...this.#releases.values()].some(({ keys }) => [...keys].some((key) => key.startsWith(`${eventId}#`)));
  }

  /** Tells if a notifier has sent something since a change of its message failed, a minute ago or more. */
  worksAgain(notifier: string, failedAtMs: number, nowMs: number): boolean {
    return (this.#sentAtMs.get(notifier) ?? 0) > failedAtMs && nowMs - failedAtMs >= releaseAgainMs;
  }

  /** Notes that a delivery takes its turn, so that it is not released meanwhile. */
  begin(delivery: WaitingDelivery): void {
    this.#waiting.delete(deliveryKey(delivery));
  }

  /** Notes that a delivery waits for its next attempt. */
  wait(delivery: WaitingDelivery): void {
    this.#waiting.set(deliveryKey(delivery), delivery);
  }

  /** Notes how a delivery's turn ended. A success, or the end of a released delivery, releases what waits behind it. */
  end(delivery: WaitingDelivery, outcome: TurnOutcome, { isDigested, nowMs }: ReleaseRule): void {
    const { notifier } = delivery;
    const key = deliveryKey(delivery);
    if (outcome === "sent") this.#sentAtMs.set(notifier, nowMs);
    const release = this.#releases.get(notifier);
    const wasReleased = release?.keys.delete(key) === true;
    if (wasReleased && outcome === "failed") this.#keptUntilMs.set(key, nowMs + releaseAgainMs);
    else if (outcome === "sent" || outcome === "dropped") this.#keptUntilMs.delete(key);
    const isUnderWay = release !== undefined && release.keys.size > 0 && nowMs - release.sinceMs < maxReleaseMs;
    if (isUnderWay) return;
    this.#releases.delete(notifier);
    if (outcome === "sent" || (wasReleased && outcome === "dropped")) this.#release(notifier, { isDigested, nowMs });
  }

  #release(notifier: string, { isDigested, nowMs }: ReleaseRule): void {
    this.#loadOnce();
    const isReady = (key: string): boolean => isDue(this.#keptUntilMs.get(key) ?? 0, nowMs);
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

/** Conditions of a release. */
export interface ReleaseRule {
  /** Tells if all waiting messages of a kind go out as one. */
  readonly isDigested: (kind: Kind) => boolean;
  readonly nowMs: number;
}

function deliveryKey({ id, step, notifier }: WaitingDelivery): string {
  return `${id}#${step} ${notifier}`;
}
