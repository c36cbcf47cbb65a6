import type { ConfiguredNotifier } from "../config/config.ts";
import { type Kind, kinds } from "../core/vocabulary.ts";
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

type Configured = Pick<ConfiguredNotifier, "name"> & {
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

  /** Gives back a granted slot. */
  release({ name }: Pick<Configured, "name">): void {
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
