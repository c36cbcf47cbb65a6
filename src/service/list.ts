import { ArgumentError, IncompleteError } from "./error.ts";
import type { Page, PagingRule } from "./paging.ts";
import { type ServiceCall, serviceCall } from "./service-call.ts";
import { type Load, Walk } from "./walk.ts";

/** Most rows that a loop over items remembers for an `IncompleteError`. */
const maxKept = 1000;

/**
 * A paged list. Nothing is requested before the first item or page is wanted, and then one page at a time, so leaving a
 * loop stops the requests. It can be walked several times; each walk starts over. Without a `limit`, a walk requests
 * pages of 100 where the API allows that, and `page` leaves the size to the service, which is 20. Where a reply has all
 * days at once, `page` gets them, and a walk requests 30 days at a time. A page of a walk that is larger than
 * `maxReplyBytes` is requested in halves.
 *
 * A service may say that there is more and give no cursor, or one that was used before. Then a page says so in
 * `incomplete`, and a loop over items, `all` and `take` throw an `IncompleteError` with the items that came.
 */
export class List<Item, Reply = object> implements AsyncIterable<Item> {
  readonly #load: Load<Item, Reply>;
  readonly #paging: PagingRule | undefined;
  readonly #start: string | undefined;
  readonly #walkSize: number | undefined;

  /**
   * @param start cursor of the first page
   * @param walkSize size of a page in a walk; undefined: the caller's `limit`, or what the service likes
   */
  constructor(load: Load<Item, Reply>, paging?: PagingRule, start?: string, walkSize?: number) {
    this.#load = load;
    this.#paging = paging;
    this.#start = start;
    this.#walkSize = walkSize;
  }

  /**
   * One page: the first, or the one at `cursor`.
   * @throws {ServiceError}
   */
  page(cursor?: string): ServiceCall<Page<Item, Reply>> {
    return serviceCall(this.#load(cursor ?? this.#start));
  }

  /**
   * Page after page. The last one says in `incomplete` whether the service has more.
   * @throws {ServiceError}
   */
  async *pages(): AsyncGenerator<Page<Item, Reply>, void, undefined> {
    const walk = this.#walk(this.#walkSize);
    for (let page = await walk.next(); page; page = await walk.next()) yield page;
  }

  /**
   * Item after item.
   * @throws {ServiceError} an `IncompleteError` after the last item that came
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const items of this.#lists()) yield* items;
  }

  /** The items of each page, then an `IncompleteError` if the service keeps some back. */
  async *#lists(): AsyncGenerator<readonly Item[], void, undefined> {
    const walk = this.#walk(this.#walkSize);
    const kept: Item[] = [];
    let [count, pages] = [0, 0];
    for (let page = await walk.next(); page; page = await walk.next()) {
      const { items, incomplete } = page;
      count += items.length;
      pages += 1;
      if (kept.length < maxKept) kept.push(...items.slice(0, maxKept - kept.length));
      yield items;
      if (incomplete !== undefined) throw new IncompleteError(incomplete, kept, pages, count);
    }
  }

  /**
   * All items, in memory.
   * @throws {ServiceError} an `IncompleteError` if the service keeps some of them back
   */
  all(): Promise<Item[]> {
    return this.#first(Number.POSITIVE_INFINITY, this.#walkSize);
  }

  /**
   * The first `count` items, or all if there are fewer. It requests as few pages as it can.
   * @throws {ServiceError} an `IncompleteError` if fewer came and the service has more
   */
  async take(count: number): Promise<Item[]> {
    if (!Number.isSafeInteger(count) || count < 0) {
      throw new ArgumentError("count", "`count` must be a whole number, 0 or more");
    }
    const size = this.#walkSize && Math.min(count, this.#walkSize);
    return count === 0 ? [] : await this.#first(count, size);
  }

  async #first(most: number, size: number | undefined): Promise<Item[]> {
    const walk = this.#walk(size);
    const items: Item[] = [];
    let pages = 0;
    for (let page = await walk.next(); page; page = await walk.next()) {
      pages += 1;
      for (const item of page.items) items.push(item);
      if (items.length >= most) return items.slice(0, most);
      if (page.incomplete !== undefined) throw new IncompleteError(page.incomplete, items, pages);
    }
    return items;
  }

  #walk(size: number | undefined): Walk<Item, Reply> {
    return new Walk(this.#load, this.#paging, this.#start, size);
  }
}
