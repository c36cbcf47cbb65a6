import { ParseError } from "./error.ts";
import { type NewItems, newItems, type Page, type PagingRule } from "./paging.ts";
import type { Answer } from "./service-call.ts";

/** Requests one page: the first, or the one at `cursor`. `size` is in items, or in days. */
export type Load<Item, Reply> = (cursor: string | undefined, size?: number) => Promise<Answer<Page<Item, Reply>>>;

/** A walk over the pages of a list, one after the other. */
export class Walk<Item, Reply> {
  readonly #load: Load<Item, Reply>;
  readonly #fresh: NewItems;
  /** Cursors of the pages that were requested. */
  readonly #cursors = new Set<string | undefined>();
  /** Where the next page begins. */
  #cursor: string | undefined;
  #size: number | undefined;
  #isOver = false;

  constructor(load: Load<Item, Reply>, paging?: PagingRule, start?: string, size?: number) {
    this.#load = load;
    this.#fresh = newItems(paging);
    this.#cursor = start;
    this.#size = size;
  }

  /** The next page; undefined after the last one. */
  async next(): Promise<Page<Item, Reply> | undefined> {
    if (this.#isOver) return undefined;
    const page = await this.#request();
    this.#cursors.add(this.#cursor);
    this.#cursor = page.next;
    const items = this.#fresh(page.items);
    const hasNothingNew = items.length === 0 && page.items.length > 0;
    const isRepeated = page.next !== undefined && this.#cursors.has(page.next);
    this.#isOver = hasNothingNew || isRepeated || page.next === undefined;
    if (hasNothingNew) return undefined;
    if (isRepeated) return { ...page, items, next: undefined, incomplete: "repeated cursor" };
    return items === page.items ? page : { ...page, items };
  }

  /** The page at the cursor; smaller, where it is larger than what may be read. */
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
