import { ParseError } from "./error.ts";
import { type NewItems, newItems, type Page, type PagingRule } from "./paging.ts";
import type { Answer } from "./service-call.ts";

/** Requests one page: the first, or the page at `cursor`. `size` is in items or in days. */
export type Load<Item, Reply> = (cursor: string | undefined, size?: number) => Promise<Answer<Page<Item, Reply>>>;

/** Walk over the pages of a list, in order. */
export class Walk<Item, Reply> {
  readonly #load: Load<Item, Reply>;
  readonly #fresh: NewItems;
  /** Cursors of the pages requested so far. */
  readonly #cursors = new Set<string | undefined>();
  /** Cursor of the next page. */
  #cursor: string | undefined;
  #size: number | undefined;
  #isDone = false;

  constructor(load: Load<Item, Reply>, paging?: PagingRule, start?: string, size?: number) {
    this.#load = load;
    this.#fresh = newItems(paging);
    this.#cursor = start;
    this.#size = size;
  }

  /** Gets the next page; undefined after the last. */
  async next(): Promise<Page<Item, Reply> | undefined> {
    if (this.#isDone) return undefined;
    const page = await this.#request();
    this.#cursors.add(this.#cursor);
    this.#cursor = page.next;
    const items = this.#fresh(page.items);
    const hasNothingNew = items.length === 0 && page.items.length > 0;
    const isRepeated = page.next !== undefined && this.#cursors.has(page.next);
    this.#isDone = hasNothingNew || isRepeated || page.next === undefined;
    if (hasNothingNew) return undefined;
    if (isRepeated) return { ...page, items, next: undefined, incomplete: "repeated cursor" };
    return items === page.items ? page : { ...page, items };
  }

  /** Requests the page at the cursor, halved while it exceeds the size limit. */
  async #request(): Promise<Page<Item, Reply>> {
    for (;;) {
      try {
        const { data } = await this.#load(this.#cursor, this.#size);
        return data;
      } catch (error) {
        const canBeHalved = this.#size !== undefined && this.#size > 1;
        if (!(canBeHalved && error instanceof ParseError && error.truncated)) throw error;
        this.#size = Math.floor((this.#size as number) / 2);
      }
    }
  }
}
