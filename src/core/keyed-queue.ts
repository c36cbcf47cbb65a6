/**
 * Queue of actions by name, such as a session's id or a file's path. Actions with the same name run one after the
 * other, in the order of the calls. Actions with different names run concurrently.
 */
export class KeyedQueue {
  readonly #lastByName = new Map<string, Promise<void>>();
  readonly #pending = new Set<Promise<void>>();

  /** Number of actions that are waiting or running. */
  get size(): number {
    return this.#pending.size;
  }

  /** Calls `act` once all earlier actions with this name have settled. The promise settles with the result of `act`. */
  run<T>(name: string, act: () => Promise<T>): Promise<T> {
    const turn = (this.#lastByName.get(name) ?? Promise.resolve()).then(act);
    const settled: Promise<void> = turn.then(
      () => this.#end(name, settled),
      () => this.#end(name, settled),
    );
    this.#lastByName.set(name, settled);
    this.#pending.add(settled);
    return turn;
  }

  /** Resolves when any one of the current actions settles; immediately if there are none. */
  async nextSettled(): Promise<void> {
    if (this.#pending.size > 0) await Promise.race(this.#pending);
  }

  #end(name: string, settled: Promise<void>): void {
    this.#pending.delete(settled);
    if (this.#lastByName.get(name) === settled) this.#lastByName.delete(name);
  }
}
