/**
 * Lets the events of one session be judged one after the other, in the order in which they ask for a turn; those of
 * different sessions take their turns side by side.
 */
export class SessionTurns {
  readonly #lastOf = new Map<string, Promise<void>>();
  readonly #open = new Set<Promise<void>>();

  /** How many turns have been asked for and are not over. */
  get size(): number {
    return this.#open.size;
  }

  /** Calls `act` once the session's earlier turns are over, whatever came of them. Settles as `act` does. */
  take<T>(session: string, act: () => Promise<T>): Promise<T> {
    const turn = (this.#lastOf.get(session) ?? Promise.resolve()).then(act);
    const over: Promise<void> = turn.then(
      () => this.#end(session, over),
      () => this.#end(session, over),
    );
    this.#lastOf.set(session, over);
    this.#open.add(over);
    return turn;
  }

  /** Resolves when one of the open turns is over; at once where there is none. */
  async nextOver(): Promise<void> {
    if (this.#open.size > 0) await Promise.race(this.#open);
  }

  #end(session: string, over: Promise<void>): void {
    this.#open.delete(over);
    if (this.#lastOf.get(session) === over) this.#lastOf.delete(session);
  }
}
