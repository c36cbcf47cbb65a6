/**
 * Lets what has one name (events of a session, lines for a file) be done one after the other, in the order in which it
 * asks for a turn; what has different names takes its turns side by side.
 */
export class Turns {
  readonly #lastOf = new Map<string, Promise<void>>();
  readonly #open = new Set<Promise<void>>();

  /** How many turns have been asked for and are not over. */
  get size(): number {
    return this.#open.size;
  }

  /** Calls `act` once the earlier turns of this name are over, whatever came of them. Settles as `act` does. */
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

  /** Resolves when one of the open turns is over; at once where there is none. */
  async nextOver(): Promise<void> {
    if (this.#open.size > 0) await Promise.race(this.#open);
  }

  #end(name: string, over: Promise<void>): void {
    this.#open.delete(over);
    if (this.#lastOf.get(name) === over) this.#lastOf.delete(name);
  }
}
