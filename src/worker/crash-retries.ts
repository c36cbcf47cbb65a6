import type { ClockPort } from "../core/ports.ts";
import { maxCrashes } from "../spool/claim.ts";
import type { Entry } from "../spool/entry.ts";

/** Times in milliseconds for retrying events that were being processed when a worker died. */
const timing = {
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

/** Functions of the dispatcher that `CrashRetries` uses. */
export interface CrashRetryHost {
  /** Claims an event and starts processing it; undefined if the event cannot be claimed. */
  start(entry: Entry): Promise<{ readonly settled: Promise<unknown> } | undefined>;
  /** True while any event that has no crashes is being processed. */
  isBusy(): boolean;
  /** Resolves when the worker has to exit. */
  readonly aborted: Promise<void>;
  /** Called when all events have been started, or could not be claimed. */
  onDone(): void;
}

/**
 * Retries events that were being processed when a worker died. Runs them one after the other, so that another crash
 * counts only for the event that caused it. An event that one more crash would make a dead letter runs alone.
 */
export class CrashRetries {
  readonly #host: CrashRetryHost;
  readonly #clock: ClockPort;
  readonly #signal: AbortSignal | undefined;
  readonly #startAtMs: number;
  #isRunning = false;

  constructor(host: CrashRetryHost, clock: ClockPort, signal?: AbortSignal) {
    this.#host = host;
    this.#clock = clock;
    this.#signal = signal;
    this.#startAtMs = clock.uptimeMs() + timing.minUptimeMs;
  }

  /** True while retries are pending. */
  get busy(): boolean {
    return this.#isRunning;
  }

  /** Retries events in the background, those with the fewest crashes first. Does nothing while retries are pending. */
  begin(entries: readonly Entry[]): void {
    if (entries.length === 0 || this.#isRunning) return;
    this.#isRunning = true;
    void this.#tryInTurn(entries).finally(() => {
      this.#isRunning = false;
      this.#host.onDone();
    });
  }

  async #tryInTurn(entries: readonly Entry[]): Promise<void> {
    await this.#clock.wait(Math.max(0, this.#startAtMs - this.#clock.uptimeMs()), this.#signal);
    const waitEndsAtMs = this.#clock.uptimeMs() + timing.maxWaitMs;
    const begun: Promise<unknown>[] = [];
    for (const entry of entries.toSorted((a, b) => a.crashes - b.crashes)) {
      const isLastChance = entry.crashes + 1 >= maxCrashes;
      if (isLastChance) await Promise.race([Promise.all(begun), this.#host.aborted]);
      await this.#waitForOthers(waitEndsAtMs);
      const started = await this.#host.start(entry);
      if (!started) continue;
      begun.push(started.settled);
      await Promise.race([
        started.settled,
        isLastChance ? this.#host.aborted : this.#clock.wait(timing.maxTurnMs, this.#signal),
      ]);
    }
  }

  async #waitForOthers(endsAtMs: number): Promise<void> {
    while (this.#host.isBusy() && this.#clock.uptimeMs() < endsAtMs && !this.#signal?.aborted)
      await this.#clock.wait(timing.pollMs);
  }
}
