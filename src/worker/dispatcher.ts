import { isDue } from "../core/due.ts";
import { run } from "../pipeline/run.ts";
import { type Claim, claim, freshEntries, giveBack, putBack, recover, waitingEntries } from "../spool/claim.ts";
import type { Entry } from "../spool/entry.ts";
import { settle } from "../spool/settle.ts";
import type { Desk } from "./worker-resources.ts";

/** So many events are delivered at the same time. */
const maxInFlight = 8;

/** Takes events out of the spool and carries them through. */
export class Hands {
  readonly #spool: string;
  readonly #desk: Desk;
  readonly #now: () => number;
  readonly #finished: () => void;
  readonly #inFlight = new Map<Promise<void>, Claim>();
  readonly #signal: AbortSignal | undefined;
  readonly #stopped: Promise<void>;

  /** @param signal from its abort on nothing is started or settled any more */
  constructor(spool: string, desk: Desk, now: () => number, finished: () => void, signal?: AbortSignal) {
    this.#spool = spool;
    this.#desk = desk;
    this.#now = now;
    this.#finished = finished;
    this.#signal = signal;
    this.#stopped = new Promise((resolve) => {
      if (signal?.aborted) resolve();
      signal?.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  get busy(): boolean {
    return this.#inFlight.size > 0;
  }

  /** Puts back what a dead worker held; what too many died over is given up. */
  recover(): void {
    for (const id of recover(this.#spool)) this.#giveUp(id);
  }

  /**
   * Starts on everything that is fresh or due, in order of arrival.
   * @returns whether there was anything
   */
  async takeReady(): Promise<boolean> {
    const due = waitingEntries(this.#spool).filter(({ dueAtMs }) => isDue(dueAtMs, this.#now()));
    const ready = [...freshEntries(this.#spool), ...due];
    // A worker died over these: each goes alone, so that the one that kills is told from its neighbours.
    const suspects = ready.filter(({ crashes }) => crashes > 0);
    for (const entry of ready.filter(({ crashes }) => crashes === 0)) {
      while (this.#inFlight.size >= maxInFlight && !this.#signal?.aborted) await this.#one();
      await this.#start(entry);
    }
    for (const entry of suspects) {
      await this.#all();
      await this.#start(entry);
    }
    if (suspects.length > 0) await this.#all();
    return ready.length > 0;
  }

  /** Lets go of what is in flight: it lies among the fresh ones again, and what still comes of it is not written down. */
  giveBack(): void {
    for (const held of this.#inFlight.values()) giveBack(this.#spool, held);
  }

  async #one(): Promise<void> {
    await Promise.race([...this.#inFlight.keys(), this.#stopped]);
  }

  async #all(): Promise<void> {
    await Promise.race([Promise.all(this.#inFlight.keys()), this.#stopped]);
  }

  async #start(entry: Entry): Promise<void> {
    const context = await this.#desk.context();
    if (this.#signal?.aborted) return;
    const held = claim(this.#spool, entry);
    if (!held) return;
    const carried: Promise<void> = run(held, context)
      .then((outcome) => {
        if (!this.#signal?.aborted) settle(this.#spool, held, outcome);
      })
      .catch(() => {
        if (this.#signal?.aborted) return;
        // Nothing that a run foresees: a full disk, or a fault of ours. Counted like a crash, so that it ends.
        if (putBack(this.#spool, held) === "dead") this.#giveUp(held.id);
      })
      .finally(() => {
        this.#inFlight.delete(carried);
        this.#finished();
      });
    this.#inFlight.set(carried, held);
  }

  #giveUp(id: string): void {
    this.#desk.journal.write({
      id,
      status: "failed",
      reason: "bug: three workers died over it; `beckon retry` tries again",
    });
  }
}
