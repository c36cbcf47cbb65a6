import { ArgumentError, IncompleteError } from "./error.ts";
import type { Page, PagingRule } from "./paging.ts";
import { type ServiceCall, serviceCall } from "./service-call.ts";
import { type Load, Walk } from "./walk.ts";

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
