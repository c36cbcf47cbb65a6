import { run } from "../pipeline/run.ts";
import * as claims from "../spool/claim.ts";
import { type Entry, isDue } from "../spool/entry.ts";
import { settle } from "../spool/settle.ts";
import type { WorkerResources } from "./worker-resources.ts";

/** Most events that are delivered at the same time. */
const maxInFlight = 8;

/** Claims events from the spool, runs each through the pipeline and settles it. */
export class Dispatcher {
  readonly #spool: string;
  readonly #resources: WorkerResources;
  readonly #onSettled: () => void;
  readonly #inFlight = new Map<Promise<void>, claims.Claim>();
  readonly #signal: AbortSignal | undefined;
  readonly #aborted: Promise<void>;

  /**
   * @param onSettled called after each event
   * @param signal once it aborts, nothing is started or settled any more
   */
  constructor(spool: string, resources: WorkerResources, onSettled: () => void, signal?: AbortSignal) {
    this.#spool = spool;
    this.#resources = resources;
    this.#onSettled = onSettled;
    this.#signal = signal;
    this.#aborted = new Promise((resolve) => {
      if (signal?.aborted) resolve();
      signal?.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /** Whether any event is in flight. */
  get busy(): boolean {
    return this.#inFlight.size > 0;
  }

  /** Requeues what a dead worker had claimed, or marks it dead if too many workers died over it. */
  recover(): void {
    for (const id of claims.recover(this.#spool)) this.#journalDead(id);
  }

  /**
   * Starts every event that is fresh or due, in order of arrival.
   * @returns whether there was any
   */
  async startReady(nowMs: number): Promise<boolean> {
    const due = claims.waitingEntries(this.#spool).filter(({ dueAtMs }) => isDue(dueAtMs, nowMs));
    const ready = [...claims.freshEntries(this.#spool), ...due];
    for (const entry of ready.filter(({ crashes }) => crashes === 0)) {
      while (this.#inFlight.size >= maxInFlight && !this.#signal?.aborted) await this.#anySettled();
      await this.#start(entry);
    }
    // A worker died with each of these in flight. They run one at a time, so that only the culprit is blamed again.
    const suspects = ready.filter(({ crashes }) => crashes > 0);
    for (const entry of suspects) {
      await this.#allSettled();
      await this.#start(entry);
    }
    if (suspects.length > 0) await this.#allSettled();
    return ready.length > 0;
  }

  /** Returns what is in flight to the fresh events. What still comes of it is not recorded. */
  releaseAll(): void {
    for (const claimed of this.#inFlight.values()) claims.release(this.#spool, claimed);
  }

  /** Resolves when one of the events in flight is settled, or on abort. */
  async #anySettled(): Promise<void> {
    await Promise.race([...this.#inFlight.keys(), this.#aborted]);
  }

  /** Resolves when nothing is in flight, or on abort. */
  async #allSettled(): Promise<void> {
    await Promise.race([Promise.all(this.#inFlight.keys()), this.#aborted]);
  }

  async #start(entry: Entry): Promise<void> {
    const context = await this.#resources.context();
    if (this.#signal?.aborted) return;
    const claimed = claims.claim(this.#spool, entry);
    if (!claimed) return;
    const running: Promise<void> = run(claimed, context)
      .then((settlement) => {
        if (!this.#signal?.aborted) settle(this.#spool, claimed, settlement);
      })
      .catch(() => {
        if (this.#signal?.aborted) return;
        // A full disk, or a bug: nothing that the pipeline handles. Counted as a crash, so that it ends.
        if (claims.requeueAfterCrash(this.#spool, claimed) === "dead") this.#journalDead(claimed.id);
      })
      .finally(() => {
        this.#inFlight.delete(running);
        this.#onSettled();
      });
    this.#inFlight.set(running, claimed);
  }

  #journalDead(id: string): void {
    this.#resources.journal.write({
      id,
      status: "failed",
      reason: "bug: three workers died over it; `beckon retry` tries again",
    });
  }
}
