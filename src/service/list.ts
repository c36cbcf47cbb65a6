import { newItems, type PagingRule } from "./paging.ts";

/** A page: the reply as the service gave it, its items under one name, and where the next page begins. */
export type Page<Item, Reply = object> = Reply & {
  readonly items: readonly Item[];
  /** Cursor of the next page; undefined on the last one. */
  readonly next: string | undefined;
};

/**
 * A list of the service's. Nothing is asked before the first item or page is wanted, and a page at a time, so that
 * leaving a loop ends the asking. It can be walked several times; each walk asks anew. Ends at a missing or repeated
 * cursor, and where a page brings nothing new.
 */
export class List<Item, Reply = object> implements AsyncIterable<Item> {
  readonly #load: (cursor: string | undefined) => Promise<Page<Item, Reply>>;
  readonly #paging: PagingRule | undefined;
  readonly #start: string | undefined;

  constructor(load: (cursor?: string) => Promise<Page<Item, Reply>>, paging?: PagingRule, start?: string) {
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
    let cursor: string | undefined = this.#start;
    do {
      if (cursor !== undefined) cursors.add(cursor);
      const page: Page<Item, Reply> = await this.#load(cursor);
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
    for await (const page of this.pages()) yield* page.items;
  }
}
