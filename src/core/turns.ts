/**
 * Queue of actions by key (a session's events, a file's lines). Actions with the same key run one after the other, in
 * the order of their calls; actions with different keys run concurrently.
 */
export class Turns {
  readonly #lastOf = new Map<string, Promise<void>>();
  readonly #open = new Set<Promise<void>>();

  /** Number of actions that are waiting or running. */
  get size(): number {
    return this.#open.size;
  }

  /** Calls `act` once all earlier actions with this key have settled, with success or not. Settles like `act`. */
  take<T>(name: string, act: () => Promise<T>): Promise<T> {
    const turn = (this.#lastOf.get(name) ?? Promise.resolve()).then(act);
    const over: Promise<void> = turn.then(
      () => this.#end(name, over),
      () => this.#end(name, over),
    );
    this.#lastOf.set(name, over);
    this.#open.add(over);
    return turn;
  }

  /** Resolves when any current action settles; at once without one. */
  async nextOver(): Promise<void> {
    if (this.#open.size > 0) await Promise.race(this.#open);
  }

  #end(name: string, over: Promise<void>): void {
    this.#open.delete(over);
    if (this.#lastOf.get(name) === over) this.#lastOf.delete(name);
  }
}
