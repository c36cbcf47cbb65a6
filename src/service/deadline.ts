/** What ended a call early: its deadline, or the caller's signal. */
export type Ending = "deadline" | "caller";

/**
 * The deadline of one call after the other: `start` begins it, `release` ends it. It stands in for `AbortSignal.any`,
 * which on Node 20 leaks memory for every signal that is combined with a long-lived one.
 */
export class Deadline {
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #timeoutMs = 0;
  #endsAtMs = 0;
  #outer: AbortSignal | undefined;
  #isRunning = false;
  #ending: Ending | undefined;

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

  /** Begins a call. @param outer the caller's signal */
  start(timeoutMs: number, outer: AbortSignal | undefined): void {
    this.#isRunning = true;
    this.#endsAtMs = performance.now() + timeoutMs;
    this.#setTimer(timeoutMs);
    this.#outer = outer;
    if (outer?.aborted) this.#onAbort();
    else outer?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /**
   * Call it when the work is done: the timer keeps no process alive any more, and nobody listens to the caller's
   * signal.
   */
  release(): void {
    this.#isRunning = false;
    this.#timer?.unref();
    this.#outer?.removeEventListener("abort", this.#onAbort);
    this.#outer = undefined;
  }

  /** Call it where no other call follows: nothing is left of the timer. */
  close(): void {
    clearTimeout(this.#timer);
  }

  #setTimer(timeoutMs: number): void {
    if (this.#timer && this.#timeoutMs === timeoutMs) {
      this.#timer.refresh().ref();
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#end, timeoutMs, "deadline");
    this.#timeoutMs = timeoutMs;
  }

  readonly #end = (why: Ending): void => {
    if (!this.#isRunning) return;
    this.#ending ??= why;
    this.#controller.abort();
  };

  readonly #onAbort = (): void => this.#end(isTimeout(this.#outer?.reason) ? "deadline" : "caller");
}

/**
 * The deadlines of a client's calls. One that did not end its call is kept for the next: with a signal and a timer for
 * each request, a walk over many pages takes a twentieth more of CPU time.
 */
export class Deadlines {
  #idle: Deadline | undefined;

  /** Begins a call. Its deadline belongs to it until it is released. @param outer the caller's signal */
  start(timeoutMs: number, outer: AbortSignal | undefined): Deadline {
    const deadline = this.#idle ?? new Deadline();
    this.#idle = undefined;
    deadline.start(timeoutMs, outer);
    return deadline;
  }

  /** Ends a call. */
  release(deadline: Deadline): void {
    deadline.release();
    if (deadline.ending === undefined && this.#idle === undefined) this.#idle = deadline;
    else deadline.close();
  }
}

/** Whether this is what `AbortSignal.timeout` aborts with. */
function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === "TimeoutError";
}
