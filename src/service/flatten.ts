/**
 * Walks over the items of lists that come one after the other, as an async generator would. But that waits three times
 * for each item, and this once: an item of a list that is there is handed out at once.
 */
export class Flatten<Item> implements AsyncIterableIterator<Item, void, undefined> {
  readonly #lists: AsyncGenerator<readonly Item[], void, undefined>;
  #list: readonly Item[] = [];
  #at = 0;
  /** Calls that are not answered yet, and the end of the last of them. */
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(lists: AsyncGenerator<readonly Item[], void, undefined>) {
    this.#lists = lists;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Item, void>> {
    const isThere = this.#waiting === 0 && this.#at < this.#list.length;
    return isThere ? Promise.resolve({ value: this.#take(), done: false }) : this.#inTurn(() => this.#fetch());
  }

  return(): Promise<IteratorResult<Item, void>> {
    return this.#inTurn(async () => {
      this.#list = [];
      await this.#lists.return();
      return { value: undefined, done: true };
    });
  }

  async #fetch(): Promise<IteratorResult<Item, void>> {
    while (this.#at >= this.#list.length) {
      const { value, done } = await this.#lists.next();
      if (done) return { value: undefined, done };
      this.#list = value;
      this.#at = 0;
    }
    return { value: this.#take(), done: false };
  }

  #take(): Item {
    const item = this.#list[this.#at] as Item;
    this.#at += 1;
    return item;
  }

  /** Calls are answered in their order, also by one who does not wait for the answer before the next call. */
  #inTurn<T>(answer: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    const turn = this.#last.then(answer).finally(() => {
      this.#waiting -= 1;
    });
    this.#last = turn.catch(() => {}); // the caller has the failure
    return turn;
  }
}
