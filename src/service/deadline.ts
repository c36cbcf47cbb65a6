/** Reason that a call ended early: its deadline, or the caller's signal. */
export type Ending = "deadline" | "caller";

/**
 * Time limit of one call, combined with the caller's signal, until `release`. Replaces `AbortSignal.any`, which on Node
 * 20 leaks memory for every signal combined with a long-lived one.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #endsAtMs: number;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #outer: AbortSignal | undefined;
  #ending: Ending | undefined;

  /** @param outer the caller's signal */
  constructor(timeoutMs: number, outer: AbortSignal | undefined) {
    this.#endsAtMs = performance.now() + timeoutMs;
    this.#timer = setTimeout(this.#end, timeoutMs, "deadline");
    this.#outer = outer;
    if (outer?.aborted) this.#onAbort();
    else outer?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Signal that aborts at the deadline or with the caller's signal. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Reason that the call ended; undefined while the call may still run. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** Returns the time until the deadline, milliseconds. */
  leftMs(): number {
    return this.#endsAtMs - performance.now();
  }

  /** Waits for a promise until the deadline. @throws if the deadline passes first, or the promise is rejected */
  limit<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(new Error("ended"));
      if (signal.aborted) onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
    });
  }

  /** Clears the timer and stops listening to the caller's signal. Call this when the work is done. */
  release(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#onAbort);
  }

  readonly #end = (why: Ending): void => {
    this.#ending ??= why;
    this.#controller.abort();
  };

  readonly #onAbort = (): void => this.#end(isTimeout(this.#outer?.reason) ? "deadline" : "caller");
}

/** Tells if an abort reason came from `AbortSignal.timeout`. */
function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === "TimeoutError";
}
