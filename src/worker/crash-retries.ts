import type { ClockPort } from "../core/ports.ts";
import { maxCrashes } from "../spool/claim.ts";
import type { Entry } from "../spool/entry.ts";

/** Times, in milliseconds, for events that were in flight when a worker died. */
const timing = {
  /** Least age of a worker that retries: workers that are killed in a row must not each send the events again. */
  minUptimeMs: 1_000,
  /** Longest wait, after that, for the events that came later. */
  longestWaitMs: 5_000,
  /** Pause between two looks at those. */
  pollMs: 50,
  /** Longest wait of a retry for the one before. */
  turnMs: 1_000,
} as const;

/** The dispatcher, as retries use it. */
export interface CrashRetryHost {
  /** Starts an event; undefined if it cannot be claimed. */
  start(entry: Entry): Promise<{ readonly settled: Promise<unknown> } | undefined>;
  /** Returns true while an event is in flight that no worker has died over. */
  isBusy(): boolean;
  /** Resolves when the worker has to end. */
  readonly aborted: Promise<void>;
  /** Told when all have been started, or have been left to the next worker. */
  onDone(): void;
}

/**
 * Tries the events again with which a worker died, one after the other, so that only the one that kills workers is
 * blamed again. One that would become a dead letter by another crash has no other beside it.
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

  /** True while events wait for their turn. */
  get busy(): boolean {
    return this.#isRunning;
  }

  /** Tries events in turn, in the background, unless others are being tried now. Those with fewer crashes come first. */
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
    const waitEndsAtMs = this.#clock.uptimeMs() + timing.longestWaitMs;
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
        isLastChance ? this.#host.aborted : this.#clock.wait(timing.turnMs, this.#signal),
      ]);
    }
  }

  async #waitForOthers(endsAtMs: number): Promise<void> {
    while (this.#host.isBusy() && this.#clock.uptimeMs() < endsAtMs && !this.#signal?.aborted)
      await this.#clock.wait(timing.pollMs);
  }
}
