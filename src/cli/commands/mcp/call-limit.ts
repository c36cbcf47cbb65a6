/** Limit for calls in a sliding window of a minute. */
export class CallLimit {
  readonly #calls: number;
  #atMs: readonly number[] = [];

  /** @param calls maximum number of calls in a minute */
  constructor(calls: number) {
    this.#calls = calls;
  }

  /** Counts a call, or returns the number of milliseconds until the next call is allowed. */
  take(nowMs: number): number | undefined {
    this.#atMs = this.#atMs.filter((atMs) => nowMs - atMs < minuteMs);
    const [oldest = nowMs] = this.#atMs;
    if (this.#atMs.length >= this.#calls) return oldest + minuteMs - nowMs;
    this.#atMs = [...this.#atMs, nowMs];
    return undefined;
  }
}

const minuteMs = 60_000;
