import type { ConfiguredNotifier } from "../config/config.ts";
import { type Kind, kinds } from "../core/vocabulary.ts";
import { spoolBounds } from "../spool/sweep.ts";

/** Most concurrent attempts of a notifier, unless its declaration sets another limit. */
const defaultMaxInFlight = 2;
/** Most deliveries waiting for a slot of one notifier: as many as the spool holds events. */
const maxWaiting = spoolBounds.files;

/**
 * Result of waiting for a slot. `granted`: must be released. `evicted`: too many waiting deliveries are more urgent or
 * newer. `recalled`: the event returns to the spool.
 */
export type SlotOutcome = "granted" | "evicted" | "recalled";

interface Waiter {
  /** 0 is the most urgent. */
  readonly rank: number;
  readonly end: (outcome: SlotOutcome) => void;
}

interface Lane {
  max: number;
  inFlight: number;
  /** Most urgent first, then in order of arrival. */
  readonly waiting: Waiter[];
}

type Configured = Pick<ConfiguredNotifier, "name"> & {
  readonly notifier: Pick<ConfiguredNotifier["notifier"], "maxInFlight">;
};

/**
 * Limits concurrent attempts per notifier. Notifiers do not share slots, so a slow notifier delays only its own
 * messages. The most urgent go first.
 */
export class Slots {
  readonly #lanes = new Map<string, Lane>();
  readonly #isStopped: () => boolean;

  /** @param isStopped true once the worker must make no more attempts; called before each */
  constructor(isStopped: () => boolean = () => false) {
    this.#isStopped = isStopped;
  }

  /** Waits for one of the notifier's slots, by default two. */
  take({ name, notifier }: Configured, kind: Kind): Promise<SlotOutcome> {
    const lane = this.#lanes.get(name) ?? { max: 0, inFlight: 0, waiting: [] };
    this.#lanes.set(name, lane);
    lane.max = notifier.maxInFlight ?? defaultMaxInFlight;
    return new Promise((end) => {
      enqueue(lane.waiting, { rank: kinds.indexOf(kind), end });
      this.#grant(lane);
      if (lane.waiting.length > maxWaiting) evictOldest(lane.waiting);
    });
  }

  /** Returns a slot that was granted. */
  release({ name }: Pick<Configured, "name">): void {
    const lane = this.#lanes.get(name);
    if (!lane) return;
    lane.inFlight -= 1;
    this.#grant(lane);
  }

  /** Ends every wait, because another worker, or this one with a new configuration, is to make the attempts. */
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
