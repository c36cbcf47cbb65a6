import { newItems, type PagingRule } from "./paging.ts";

/** A page: the reply as the service gave it, its items under one name, and where the next page begins. */
export type Page<Item, Reply = object> = Reply & {
  readonly items: readonly Item[];
  /** Cursor of the next page; undefined on the last one. */
  readonly next: string | undefined;
};

/** Asks for one page: the first, or the one a cursor leads to; of so many items, where the caller's query names no limit. */
type Load<Item, Reply> = (cursor: string | undefined, size?: number) => Promise<Page<Item, Reply>>;

/**
 * A list of the service's. Nothing is asked before the first item or page is wanted, and a page at a time, so that
 * leaving a loop ends the asking. It can be walked several times; each walk asks anew. Ends at a missing or repeated
 * cursor, and where a page brings nothing new. Without a `limit` a walk takes pages of 100 where that is the most, and
 * `page` what the service gives, which is 20.
 */
export class List<Item, Reply = object> implements AsyncIterable<Item> {
  readonly #load: Load<Item, Reply>;
  readonly #paging: PagingRule | undefined;
  readonly #start: string | undefined;

  constructor(load: Load<Item, Reply>, paging?: PagingRule, start?: string) {
    this.#load = load;
    this.#paging = paging;
    this.#start = start;
  }

  /**
   * One page: the first, or the one a cursor leads to.
   * @throws {ServiceError}
   */
  page(cursor?: string): Promise<Page<Item, Reply>> {
    return this.#load(cursor ?? this.#start);
  }

  /**
   * Page after page.
   * @throws {ServiceError}
   */
  async *pages(): AsyncGenerator<Page<Item, Reply>, void, undefined> {
    const cursors = new Set<string>();
    const fresh = newItems<Item>(this.#paging);
    const size = this.#paging?.parameter === "cursor" ? this.#paging.walkSize : undefined;
    let cursor: string | undefined = this.#start;
    do {
      if (cursor !== undefined) cursors.add(cursor);
      const page: Page<Item, Reply> = await this.#load(cursor, size);
      const items = fresh(page.items);
      if (items.length === 0 && page.items.length > 0) return;
      yield { ...page, items };
      cursor = page.next;
    } while (cursor !== undefined && !cursors.has(cursor));
  }

  /**
   * Item after item.
   * @throws {ServiceError}
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { items } of this.pages()) {
      // Item by item: `yield*` waits three times for each in an async generator.
      for (const item of items) yield item;
    }
  }
}
