import { setImmediate as afterIo } from "node:timers/promises";
import { readErrno } from "../core/errors.ts";
import type { ClockPort } from "../core/ports.ts";
import type { RunContext } from "../pipeline/context.ts";
import { run } from "../pipeline/run.ts";
import * as claims from "../spool/claim.ts";
import { maxCrashes, reschedule, waitingEntries } from "../spool/claim.ts";
import { type Entry, isDue } from "../spool/entry.ts";
import { settle } from "../spool/settle.ts";
import { makeDue, readWaiting, type WorkerResources } from "./worker-resources.ts";

/** Maximum number of events that are judged at the same time. */
const maxConcurrentJudgements = 8;
/** Pause before an event whose file cannot be moved is tried again: one minute. */
const unclaimableRetryMs = 60_000;

/** Times in milliseconds for retrying events that were being processed when a worker died. */
const crashRetryTiming = {
  /** Minimum uptime of a worker before it retries. Otherwise, workers killed in a row would all resend the events. */
  minUptimeMs: 1_000,
  /** Longest additional wait until newer events are processed. */
  maxWaitMs: 5_000,
  /** Polling interval while newer events are being processed. */
  pollMs: 50,
  /**
   * Longest wait for one retry before the next begins. There is no limit if one more crash would make one of the two
   * events a dead letter.
   */
  maxTurnMs: 1_000,
} as const;

interface InFlight {
  readonly claimed: claims.Claim;
  /** Resolves to true if the event remains in the spool. */
  readonly settled: Promise<boolean>;
}

/** Functions and signal that the worker passes to the dispatcher. */
interface DispatcherOptions {
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
  readonly #firstCrashRetryAtMs: number;
  #isRetryingCrashes = false;
  #silencesVersion = "unknown";

  constructor(spool: string, resources: WorkerResources, options: DispatcherOptions) {
    this.#spool = spool;
    this.#resources = resources;
    this.#clock = resources.ports.clock;
    this.#options = options;
    const { signal } = options;
    this.#aborted = new Promise((resolve) => {
      if (signal?.aborted) resolve();
      signal?.addEventListener("abort", () => resolve(), { once: true });
    });
    this.#firstCrashRetryAtMs = this.#clock.uptimeMs() + crashRetryTiming.minUptimeMs;
    resources.queues.subscribe((id) => {
      if (options.isStopped()) return;
      makeDue(spool, id, this.#clock.now());
      options.onSettled();
    });
  }

  /** True if any event is being processed or waits for a crash retry. */
  get busy(): boolean {
    return this.#inFlight.size > 0 || this.#isRetryingCrashes;
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
    this.#beginCrashRetries(ready.filter(({ crashes }) => crashes > 0));
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

  /**
   * Retries events that were being processed when a worker died, in the background, unless retries are pending. Runs
   * them one after the other, those with the fewest crashes first, so that another crash counts only for the event that
   * caused it. An event that one more crash would make a dead letter runs alone.
   */
  #beginCrashRetries(entries: readonly Entry[]): void {
    if (entries.length === 0 || this.#isRetryingCrashes) return;
    this.#isRetryingCrashes = true;
    void this.#retryInTurn(entries.toSorted((a, b) => a.crashes - b.crashes)).finally(() => {
      this.#isRetryingCrashes = false;
      this.#options.onSettled();
    });
  }

  async #retryInTurn(entries: readonly Entry[]): Promise<void> {
    const { signal } = this.#options;
    await this.#clock.wait(Math.max(0, this.#firstCrashRetryAtMs - this.#clock.uptimeMs()), signal);
    const waitEndsAtMs = this.#clock.uptimeMs() + crashRetryTiming.maxWaitMs;
    const begun: Promise<unknown>[] = [];
    for (const entry of entries) {
      const isLastChance = entry.crashes + 1 >= maxCrashes;
      if (isLastChance) await Promise.race([Promise.all(begun), this.#aborted]);
      await this.#waitForUncrashed(waitEndsAtMs);
      const started = await this.#start(entry);
      if (!started) continue;
      begun.push(started.settled);
      const turnEnd = isLastChance ? this.#aborted : this.#clock.wait(crashRetryTiming.maxTurnMs, signal);
      await Promise.race([started.settled, turnEnd]);
    }
  }

  /** Waits until only events with crashes are being processed. */
  async #waitForUncrashed(endsAtMs: number): Promise<void> {
    const isBusy = (): boolean => [...this.#inFlight].some(({ claimed }) => claimed.crashes === 0);
    while (isBusy() && this.#clock.uptimeMs() < endsAtMs && !this.#options.signal?.aborted)
      await this.#clock.wait(crashRetryTiming.pollMs);
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
      const mayBeDue = version !== this.#silencesVersion || this.#resources.queues.hasReleased(claimed.id);
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

/** Makes every event that a silence holds due now, so that the worker decides about it again. Requires the lock. */
export function requeueSnoozed(spool: string, nowMs: number): void {
  for (const entry of waitingEntries(spool)) {
    if (entry.dueAtMs > nowMs && isSnoozed(spool, entry)) reschedule(spool, entry, nowMs);
  }
}

function isSnoozed(spool: string, entry: Entry): boolean {
  const deliveries = Object.values(readWaiting(spool, entry)?.deliveries ?? {});
  return deliveries.some(({ status, heldFor }) => status === "open" && heldFor === "silence");
}
