/** What ended a call early: its deadline, or the caller's signal. */
export type Ending = "deadline" | "caller";

/**
 * The deadline of one call, from when it is made until it is released. It stands in for `AbortSignal.any`, which on Node
 * 20 leaks memory for every signal that is combined with a long-lived one.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #endsAtMs: number;
  readonly #timer: NodeJS.Timeout;
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

  /** Aborts at the deadline, or with the caller's signal. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Undefined while the call may still run. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** Milliseconds until the deadline. */
  leftMs(): number {
    return this.#endsAtMs - performance.now();
  }

  /** Call it when the work is done: nothing is left of the timer, and nobody listens to the caller's signal. */
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

/** Whether this is what `AbortSignal.timeout` aborts with. */
function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === "TimeoutError";
}
