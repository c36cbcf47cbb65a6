/** Reason that a call ended early: its deadline, or the caller's signal. */
export type Ending = "deadline" | "caller";

/** Calls that follow a signal. One listener serves all of them, because Node warns of more than ten on a signal. */
interface Followers {
  readonly ends: Set<() => void>;
  readonly listener: () => void;
}
const followers = new WeakMap<AbortSignal, Followers>();

/** Calls a function when a signal aborts. Returns a function that stops following. */
function follow(signal: AbortSignal, end: () => void): () => void {
  const { ends, listener } = followers.get(signal) ?? listen(signal);
  ends.add(end);
  return () => {
    ends.delete(end);
    if (ends.size > 0) return;
    signal.removeEventListener("abort", listener);
    followers.delete(signal);
  };
}

function listen(signal: AbortSignal): Followers {
  const ends = new Set<() => void>();
  const listener = (): void => {
    for (const end of [...ends]) end();
  };
  signal.addEventListener("abort", listener, { once: true });
  followers.set(signal, { ends, listener });
  return { ends, listener };
}

/** Waits for a promise. @throws if the signal aborts first, or the promise is rejected */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new Error("aborted"));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/**
 * Time limit of one call, combined with the caller's signal, until `release`. Replaces `AbortSignal.any`, which on Node
 * 20 leaks memory for every signal combined with a long-lived one.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #unfollow: () => void = () => {};
  #endsAtMs: number;
  #timer: ReturnType<typeof setTimeout>;
  #patienceMs: number;
  #ending: Ending | undefined;

  /**
   * @param outer the caller's signal
   * @param patienceMs time for pauses in addition to the limit; default: pauses count as part of the limit
   */
  constructor(timeoutMs: number, outer: AbortSignal | undefined, patienceMs = 0) {
    this.#endsAtMs = performance.now() + timeoutMs;
    this.#timer = setTimeout(this.#end, timeoutMs, "deadline");
    this.#patienceMs = patienceMs;
    this.#outer = outer;
    if (outer?.aborted) this.#onAbort();
    else if (outer) this.#unfollow = follow(outer, this.#onAbort);
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

  /** True if the call has time of its own for pauses. */
  get isPatient(): boolean {
    return this.#patienceMs > 0;
  }

  /** Tells if the call has time for a pause. */
  hasTimeFor(pauseMs: number): boolean {
    return pauseMs < (this.isPatient ? this.#patienceMs : this.leftMs());
  }

  /** Waits for a pause. @throws if the call ends first */
  async pause(ms: number, sleep: (ms: number, signal: AbortSignal) => Promise<unknown>): Promise<void> {
    if (!this.isPatient) return void (await sleep(ms, this.signal));
    this.#patienceMs = Math.max(1, this.#patienceMs - ms);
    await this.#suspend(sleep(ms, this.signal));
  }

  /** Waits for a turn. That time does not count. @param onTurn gets a function to call when it is the call's turn */
  async queue(onTurn: (resolve: () => void) => void): Promise<void> {
    await this.#suspend(this.limit(new Promise<void>(onTurn)));
  }

  async #suspend(promise: Promise<unknown>): Promise<void> {
    const leftMs = this.leftMs();
    clearTimeout(this.#timer);
    await promise;
    this.#endsAtMs = performance.now() + leftMs;
    this.#timer = setTimeout(this.#end, leftMs, "deadline");
  }

  /** Waits for a promise until the deadline. @throws if the deadline passes first, or the promise is rejected */
  limit<T>(promise: Promise<T>): Promise<T> {
    return untilAborted(promise, this.signal);
  }

  /** Clears the timer and stops listening to the caller's signal. Call this when the work is done. */
  release(): void {
    clearTimeout(this.#timer);
    this.#unfollow();
  }

  readonly #end = (why: Ending): void => {
    this.#ending ??= why;
    this.#controller.abort();
  };

  readonly #onAbort = (): void => {
    const { reason } = this.#outer ?? {};
    // The reason of `AbortSignal.timeout`.
    this.#end(reason instanceof DOMException && reason.name === "TimeoutError" ? "deadline" : "caller");
  };
}
