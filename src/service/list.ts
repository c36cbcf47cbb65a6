import { ArgumentError, IncompleteError, ParseError } from "./error.ts";
import { createComparison, type Page, type PagingRule } from "./paging.ts";
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
  pages(): AsyncGenerator<Page<Item, Reply>, void, undefined> {
    return this.#walk(this.#walkSize);
  }

  /**
   * Yields all items.
   * @throws {ServiceError} an `IncompleteError` after the items received if the service has more
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    const kept: Item[] = [];
    let [count, pages] = [0, 0];
    for await (const { items, incomplete } of this.pages()) {
      count += items.length;
      pages += 1;
      if (kept.length < maxKeptRows) kept.push(...items.slice(0, maxKeptRows - kept.length));
      yield* items;
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
    const items: Item[] = [];
    let pages = 0;
    for await (const page of this.#walk(size)) {
      pages += 1;
      for (const item of page.items) items.push(item);
      if (items.length >= maxCount) return items.slice(0, maxCount);
      if (page.incomplete !== undefined) throw new IncompleteError(page.incomplete, items, pages);
    }
    return items;
  }

  /** Yields the pages in order. @param pageSize number of items or of days to request at once */
  async *#walk(pageSize: number | undefined): AsyncGenerator<Page<Item, Reply>, void, undefined> {
    const compare = createComparison(this.#paging);
    /** Cursors of the pages requested so far. */
    const cursors = new Set<string | undefined>();
    let [cursor, size, emptyPages] = [this.#start, pageSize, 0];
    for (;;) {
      const fitting = await loadFitting(this.#load, cursor, size);
      const { page } = fitting;
      size = fitting.size;
      cursors.add(cursor);
      cursor = page.next;
      const { items, end } = compare(page.items);
      emptyPages = page.items.length === 0 && this.#paging?.parameter !== "startDate" ? emptyPages + 1 : 0;
      const fault = page.incomplete ?? findFault(cursor, cursors, emptyPages);
      const isCursorAtFault = fault !== undefined && this.#paging?.parameter === "cursor";
      const incomplete = end === "repeated page" && !isCursorAtFault ? end : fault;
      if (end === "complete") return;
      if (incomplete !== undefined) yield { ...page, items, next: undefined, incomplete };
      else yield items === page.items ? page : { ...page, items };
      if (end !== undefined || incomplete !== undefined || cursor === undefined) return;
    }
  }
}

/** Function that requests one page: the first, or the page at `cursor`. `size` is a number of items or of days. */
type Load<Item, Reply> = (cursor: string | undefined, size?: number) => Promise<Answer<Page<Item, Reply>>>;

/** Maximum number of empty pages in a row. Not applied to lists of days, which always end. */
const maxEmptyPages = 100;

/** Requests the page at a cursor. Halves the page size while the reply exceeds the size limit. */
async function loadFitting<Item, Reply>(
  load: Load<Item, Reply>,
  cursor: string | undefined,
  size: number | undefined,
): Promise<{ readonly page: Page<Item, Reply>; readonly size: number | undefined }> {
  try {
    return { page: (await load(cursor, size)).data, size };
  } catch (error) {
    if (!(size !== undefined && size > 1 && error instanceof ParseError && error.truncated)) throw error;
    return await loadFitting(load, cursor, Math.floor(size / 2));
  }
}

/** Finds the reason that the page at the next cursor cannot be fetched. */
function findFault(next: string | undefined, cursors: ReadonlySet<string | undefined>, emptyPages: number) {
  if (next === undefined) return undefined;
  if (cursors.has(next)) return "repeated cursor";
  return emptyPages < maxEmptyPages ? undefined : "empty pages";
}
