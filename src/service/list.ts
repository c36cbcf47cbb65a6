import { ArgumentError, IncompleteError, type IncompleteReason, ParseError } from "./error.ts";
import { type ComparePage, createComparison, type Page, type PagingRule } from "./paging.ts";
import { type Answer, type ServiceCall, serviceCall } from "./service-call.ts";

/** Maximum number of items that a loop keeps, to put them into an `IncompleteError`. */
const maxKeptRows = 1000;

/**
 * A paged list. Nothing is requested until an item or page is read, and then one page at a time, so that leaving a loop
 * stops the requests. Each loop starts from the beginning. Without a `limit`, a loop requests pages of 100 items if the
 * API allows that, and `page` uses the service's default of 20. If the API sends all days in one reply, `page` gets
 * them all, and a loop requests 30 days at a time. If a page is larger than `maxReplyBytes`, a loop requests it in
 * halves.
 *
 * The service may report more items but send no cursor or an earlier one, repeat a page, or send 100 empty pages in a
 * row. Then the last page has `incomplete`, and loops over items, `all` and `take` throw an `IncompleteError` with the
 * items received.
 */
export class List<Item, Reply = object> implements AsyncIterable<Item> {
  readonly #load: Load<Item, Reply>;
  readonly #paging: PagingRule | undefined;
  readonly #start: string | undefined;
  readonly #walkSize: number | undefined;

  /**
   * @param start cursor of the first page
   * @param walkSize page size for loops; default: the caller's `limit`, or the service's default
   */
  constructor(load: Load<Item, Reply>, paging?: PagingRule, start?: string, walkSize?: number) {
    this.#load = load;
    this.#paging = paging;
    this.#start = start;
    this.#walkSize = walkSize;
  }

  /**
   * Gets one page: the first, or the page at `cursor`.
   * @throws {ServiceError}
   */
  page(cursor?: string): ServiceCall<Page<Item, Reply>> {
    return serviceCall(this.#load(cursor ?? this.#start));
  }

  /**
   * Yields all pages. `incomplete` of the last page is set if the service has more.
   * @throws {ServiceError}
   */
  async *pages(): AsyncGenerator<Page<Item, Reply>, void, undefined> {
    const walk = this.#walk(this.#walkSize);
    for (let page = await walk.next(); page; page = await walk.next()) yield page;
  }

  /**
   * Yields all items.
   * @throws {ServiceError} an `IncompleteError` after the items received if the service has more
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const items of this.#lists()) yield* items;
  }

  /** Yields the items of each page, then throws an `IncompleteError` if the service has more. */
  async *#lists(): AsyncGenerator<readonly Item[], void, undefined> {
    const walk = this.#walk(this.#walkSize);
    const kept: Item[] = [];
    let [count, pages] = [0, 0];
    for (let page = await walk.next(); page; page = await walk.next()) {
      const { items, incomplete } = page;
      count += items.length;
      pages += 1;
      if (kept.length < maxKeptRows) kept.push(...items.slice(0, maxKeptRows - kept.length));
      yield items;
      if (incomplete !== undefined) throw new IncompleteError(incomplete, kept, pages, count);
    }
  }

  /**
   * Collects all items in memory.
   * @throws {ServiceError} an `IncompleteError` if the service has more
   */
  all(): Promise<Item[]> {
    return this.#first(Number.POSITIVE_INFINITY, this.#walkSize);
  }

  /**
   * Gets the first `count` items, or all items if there are fewer, in as few requests as possible.
   * @throws {ServiceError} an `IncompleteError` if fewer were received and the service has more
   */
  async take(count: number): Promise<Item[]> {
    if (!Number.isSafeInteger(count) || count < 0) {
      throw new ArgumentError("count", "`count` must be a whole number, 0 or more");
    }
    const size = this.#walkSize && Math.min(count, this.#walkSize);
    return count === 0 ? [] : await this.#first(count, size);
  }

  async #first(maxCount: number, size: number | undefined): Promise<Item[]> {
    const walk = this.#walk(size);
    const items: Item[] = [];
    let pages = 0;
    for (let page = await walk.next(); page; page = await walk.next()) {
      pages += 1;
      for (const item of page.items) items.push(item);
      if (items.length >= maxCount) return items.slice(0, maxCount);
      if (page.incomplete !== undefined) throw new IncompleteError(page.incomplete, items, pages);
    }
    return items;
  }

  #walk(size: number | undefined): Walk<Item, Reply> {
    return new Walk(this.#load, this.#paging, this.#start, size);
  }
}

/** Function that requests one page: the first, or the page at `cursor`. `size` is a number of items or of days. */
type Load<Item, Reply> = (cursor: string | undefined, size?: number) => Promise<Answer<Page<Item, Reply>>>;

/** Maximum number of empty pages in a row. Not applied to lists of days, which always end. */
const maxEmptyPages = 100;

/** Loop over the pages of a list, in order. */
class Walk<Item, Reply> {
  readonly #load: Load<Item, Reply>;
  readonly #paging: PagingRule | undefined;
  readonly #compare: ComparePage;
  /** Cursors of the pages requested so far. */
  readonly #cursors = new Set<string | undefined>();
  /** Cursor of the next page. */
  #cursor: string | undefined;
  #size: number | undefined;
  #emptyPages = 0;
  #isDone = false;

  constructor(load: Load<Item, Reply>, paging?: PagingRule, start?: string, size?: number) {
    this.#load = load;
    this.#paging = paging;
    this.#compare = createComparison(paging);
    this.#cursor = start;
    this.#size = size;
  }

  /** Gets the next page; undefined after the last. */
  async next(): Promise<Page<Item, Reply> | undefined> {
    if (this.#isDone) return undefined;
    const page = await this.#request();
    this.#cursors.add(this.#cursor);
    this.#cursor = page.next;
    const { items, end } = this.#compare(page.items);
    const fault = page.incomplete ?? this.#findFault(page);
    const isCursorAtFault = fault !== undefined && this.#paging?.parameter === "cursor";
    const incomplete = end === "repeated page" && !isCursorAtFault ? end : fault;
    this.#isDone = end !== undefined || incomplete !== undefined || page.next === undefined;
    if (end === "complete") return undefined;
    if (incomplete !== undefined) return { ...page, items, next: undefined, incomplete };
    return items === page.items ? page : { ...page, items };
  }

  /** Finds the reason that the next page cannot be fetched. */
  #findFault({ items, next }: Page<Item, Reply>): IncompleteReason | undefined {
    this.#emptyPages = items.length === 0 && this.#paging?.parameter !== "startDate" ? this.#emptyPages + 1 : 0;
    if (next === undefined) return undefined;
    if (this.#cursors.has(next)) return "repeated cursor";
    return this.#emptyPages < maxEmptyPages ? undefined : "empty pages";
  }

  /** Requests the page at the cursor. Halves the page size while the reply exceeds the size limit. */
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
