import { setImmediate as afterIo } from "node:timers/promises";
import { readErrno } from "../core/errors.ts";
import type { ClockPort } from "../core/ports.ts";
import type { RunContext } from "../pipeline/context.ts";
import { run } from "../pipeline/run.ts";
import * as claims from "../spool/claim.ts";
import { type Entry, isDue } from "../spool/entry.ts";
import { settle } from "../spool/settle.ts";
import { CrashRetries, type CrashRetryHost } from "./crash-retries.ts";
import { requeueSnoozed } from "./requeue-snoozed.ts";
import { makeDue } from "./waiting-deliveries.ts";
import type { WorkerResources } from "./worker-resources.ts";

/** Maximum number of events that are judged at the same time. */
const maxConcurrentJudgements = 8;
/** Pause before an event whose file cannot be moved is tried again: one minute. */
const unclaimableRetryMs = 60_000;

interface InFlight {
  readonly claimed: claims.Claim;
  /** Resolves to true if the event remains in the spool. */
  readonly settled: Promise<boolean>;
}

/** Functions and signal that the worker passes to the dispatcher. */
export interface DispatcherOptions {
  /** Called when the spool must be scanned: an event must be retried, became due early, or was the last in progress. */
  readonly onSettled: () => void;
  /** Returns true once this worker must no longer touch the spool. */
  readonly isStopped: () => boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Claims events from the spool, runs each through the pipeline and settles it. */
export class Dispatcher {
  readonly #spool: string;
  readonly #resources: WorkerResources;
  readonly #options: DispatcherOptions;
  readonly #inFlight = new Set<InFlight>();
  /** Events that could not be claimed, by id, with the time until which they are left alone, Unix milliseconds. */
  readonly #unclaimable = new Map<string, number>();
  readonly #aborted: Promise<void>;
  readonly #clock: ClockPort;
  readonly #crashRetries: CrashRetries;
  #silencesVersion = "unknown";

  constructor(spool: string, resources: WorkerResources, options: DispatcherOptions) {
    this.#spool = spool;
    this.#resources = resources;
    this.#clock = resources.clock;
    this.#options = options;
    const { signal } = options;
    this.#aborted = new Promise((resolve) => {
      if (signal?.aborted) resolve();
      signal?.addEventListener("abort", () => resolve(), { once: true });
    });
    const host: CrashRetryHost = {
      start: (entry) => this.#start(entry),
      isBusy: () => [...this.#inFlight].some(({ claimed }) => claimed.crashes === 0),
      aborted: this.#aborted,
      onDone: options.onSettled,
    };
    this.#crashRetries = new CrashRetries(host, this.#clock, signal);
    resources.backlog.subscribe((id) => {
      if (options.isStopped()) return;
      makeDue(spool, id, this.#clock.now());
      options.onSettled();
    });
  }

  /** True if any event is being processed or waits for a crash retry. */
  get busy(): boolean {
    return this.#inFlight.size > 0 || this.#crashRetries.busy;
  }

  /** Requeues the events that a dead worker had claimed. Moves an event to `dead/` if three workers died over it. */
  recover(): void {
    for (const id of claims.recover(this.#spool)) this.#journalDead(id, "three workers died over it");
  }

  /** Lists the claimable events in `new/`, in order of arrival. */
  fresh(nowMs: number): readonly Entry[] {
    return claims.freshEntries(this.#spool).filter((entry) => this.#isClaimable(entry, nowMs));
  }

  /** Lists the claimable events that wait for their next attempt, soonest first. */
  waiting(nowMs: number): ReturnType<typeof claims.waitingEntries> {
    return claims.waitingEntries(this.#spool).filter((entry) => this.#isClaimable(entry, nowMs));
  }

  /**
   * Starts new events in order of arrival, then due events. Events with crashes start later, one after the other.
   * @returns true if there were any
   */
  async startReady(nowMs: number): Promise<boolean> {
    this.#requeueIfSilencesChanged(nowMs);
    const due = this.waiting(nowMs).filter(({ dueAtMs }) => isDue(dueAtMs, nowMs));
    const ready = [...this.fresh(nowMs), ...due];
    this.#crashRetries.begin(ready.filter(({ crashes }) => crashes > 0));
    for (const entry of ready.filter(({ crashes }) => crashes === 0)) {
      const { turns } = this.#resources;
      while (turns.size >= maxConcurrentJudgements && !this.#options.signal?.aborted) {
        await Promise.race([turns.nextSettled(), this.#aborted]);
      }
      await this.#start(entry);
      await afterIo(); // pending I/O must run between starts, or requests time out during a burst of events
    }
    return ready.length > 0;
  }

  /** Moves the events that are being processed back to `new/`. Their results are no longer recorded. */
  releaseAll(): void {
    for (const { claimed } of this.#inFlight) claims.release(this.#spool, claimed);
  }

  /** If the silences have changed, makes the events that a silence holds due now. */
  #requeueIfSilencesChanged(nowMs: number): void {
    const version = this.#resources.silencesVersion();
    if (version === this.#silencesVersion) return;
    this.#silencesVersion = version;
    requeueSnoozed(this.#spool, nowMs);
  }

  /** Claims an event and runs it; undefined if it could not be claimed. */
  async #start(entry: Entry): Promise<InFlight | undefined> {
    const context = await this.#resources.context();
    const claimed = this.#options.isStopped() ? undefined : this.#claim(entry);
    if (!claimed) return undefined;
    const started = { claimed, settled: this.#run(claimed, context) };
    this.#inFlight.add(started);
    void started.settled.then((isInSpool) => {
      this.#inFlight.delete(started);
      if (isInSpool || this.#inFlight.size === 0) this.#options.onSettled();
    });
    return started;
  }

  /** Runs an event and settles it. Resolves to true if the event remains in the spool. Never throws. */
  async #run(claimed: claims.Claim, context: RunContext): Promise<boolean> {
    try {
      const version = this.#silencesVersion;
      const settlement = await run(claimed, context);
      const mayBeDue = version !== this.#silencesVersion || this.#resources.backlog.hasReleased(claimed.id);
      const isOutdated = settlement.next === "wait" && mayBeDue;
      const current = isOutdated ? { ...settlement, dueAtMs: this.#clock.now() } : settlement;
      if (!this.#options.isStopped()) settle(this.#spool, claimed, current);
      return settlement.next === "wait";
    } catch {
      // The cause is a full disk or a bug. The failure counts as a crash, so that retries end.
      if (!this.#options.isStopped()) this.#requeue(claimed, "it could not be run");
      return true;
    }
  }

  #claim(entry: Entry): claims.Claim | undefined {
    try {
      return claims.claim(this.#spool, entry);
    } catch (error) {
      this.#skipUnclaimable(entry, readErrno(error) ?? "unknown");
      return undefined;
    }
  }

  /**
   * Handles an event that could not be claimed: requeues the event if its file cannot be read, or leaves it alone for a
   * minute if its file cannot be moved, so that it does not block other events.
   */
  #skipUnclaimable({ id, crashes }: Entry, code: string): void {
    try {
      this.#requeue({ id, crashes }, `its file cannot be read (${code})`);
    } catch {
      const reason = `its file in the spool cannot be claimed (${code}); it is tried again in a minute`;
      if (!this.#unclaimable.has(id)) this.#resources.journal.write({ id, status: "retrying", reason });
      this.#unclaimable.set(id, this.#clock.now() + unclaimableRetryMs);
    }
  }

  #isClaimable({ id }: Entry, nowMs: number): boolean {
    return isDue(this.#unclaimable.get(id) ?? 0, nowMs);
  }

  /** Requeues a claimed event and counts one more crash. The third crash makes it a dead letter. */
  #requeue(claimed: Pick<claims.Claim, "id" | "crashes">, why: string): void {
    if (claims.requeueAfterCrash(this.#spool, claimed) === "dead") this.#journalDead(claimed.id, `${why}, three times`);
  }

  #journalDead(id: string, why: string): void {
    this.#resources.journal.write({ id, status: "failed", reason: `bug: ${why}; \`beckon retry\` tries again` });
  }
}
