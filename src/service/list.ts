import { at } from "../core/json-value.ts";
import { daysAfter } from "./arguments.ts";
import { ArgumentError, IncompleteError, type IncompleteReason, ParseError } from "./error.ts";
import { Flatten } from "./flatten.ts";
import type { ServiceCall } from "./service-call.ts";

/** How the beginning of a list's next page is found. */
export type PagingRule =
  /** The reply names it: `reply[at][next]`, while `reply[at][more]` is true. */
  | {
      readonly parameter: "cursor";
      readonly at: string;
      readonly more: string;
      readonly next: string;
      /** Items a page in a walk without a `limit`: the API's maximum, for the fewest requests. */
      readonly walkSize: number;
    }
  /** The reply does not name it: the next page begins after the last item, until a page has none that is new. */
  | { readonly parameter: "startAfter"; readonly key: string }
  /** A reply has all days asked for; a walk asks for a few at a time, since days are additive and replies large. */
  | { readonly parameter: "startDate"; readonly walkSize: number };

/** A page: the reply as the service sent it, its items under one name, and where the next page begins. */
export type Page<Item, Reply = object> = Reply & {
  readonly items: readonly Item[];
  /** Cursor of the next page; undefined on the last one. */
  readonly next: string | undefined;
  /** Why there is no cursor, although the service says that there is more. */
  readonly incomplete?: IncompleteReason;
};

/** How a list goes on after a page. */
export type Continuation = Pick<Page<unknown>, "next" | "incomplete">;

/** Requests one page: the first, or the one at `cursor`. `size` is in items, or in days. */
type Load<Item, Reply> = (cursor: string | undefined, size?: number) => ServiceCall<Page<Item, Reply>>;

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
    return this.#load(cursor ?? this.#start);
  }

  /**
   * Page after page. The last one says in `incomplete` whether the service has more.
   * @throws {ServiceError}
   */
  pages(): AsyncGenerator<Page<Item, Reply>, void, undefined> {
    return this.#walk(this.#walkSize);
  }

  /**
   * Item after item.
   * @throws {ServiceError} an `IncompleteError` after the last item that came
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<Item> {
    return new Flatten(this.#lists());
  }

  /** The items of each page, then an `IncompleteError` if the service keeps some back. */
  async *#lists(): AsyncGenerator<readonly Item[], void, undefined> {
    const kept: Item[] = [];
    let [count, pages] = [0, 0];
    for await (const { items, incomplete } of this.pages()) {
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
    return this.#first(Number.POSITIVE_INFINITY, this.pages());
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
    return count === 0 ? [] : await this.#first(count, this.#walk(size));
  }

  async #first(most: number, walk: AsyncIterable<Page<Item, Reply>>): Promise<Item[]> {
    const items: Item[] = [];
    let pages = 0;
    for await (const page of walk) {
      pages += 1;
      for (const item of page.items) items.push(item);
      if (items.length >= most) return items.slice(0, most);
      if (page.incomplete !== undefined) throw new IncompleteError(page.incomplete, items, pages);
    }
    return items;
  }

  async *#walk(firstSize: number | undefined): AsyncGenerator<Page<Item, Reply>, void, undefined> {
    let size = firstSize;
    const cursors = new Set<string>();
    const fresh = newItems<Item>(this.#paging);
    let cursor: string | undefined = this.#start;
    for (;;) {
      if (cursor !== undefined) cursors.add(cursor);
      const page: Page<Item, Reply> | undefined = await this.#load(cursor, size).catch((error: unknown) => {
        if (size === undefined || size === 1 || !(error instanceof ParseError && error.truncated)) throw error;
        size = Math.floor(size / 2);
        return undefined;
      });
      if (page === undefined) continue;
      const items = fresh(page.items);
      if (items.length === 0 && page.items.length > 0) return;
      const isRepeated = page.next !== undefined && cursors.has(page.next);
      yield isRepeated ? { ...page, items, next: undefined, incomplete: "repeated cursor" } : { ...page, items };
      if (isRepeated || page.next === undefined) return;
      cursor = page.next;
    }
  }
}

/** A request for a page of a list: its query, the last day of the whole list where it has days, and its cursor. */
interface AskedPage {
  readonly query: Readonly<Record<string, unknown>>;
  readonly lastDay: unknown;
  readonly cursor: string | undefined;
}

/** How a list goes on after a page: at a cursor, not at all, or nobody knows where. */
export function continuationOf(
  rule: PagingRule,
  reply: unknown,
  items: readonly unknown[],
  { query, lastDay, cursor }: AskedPage,
): Continuation {
  if (rule.parameter === "startAfter") return { next: textAt(items.at(-1), rule.key) };
  if (rule.parameter === "startDate") {
    return { next: query["endDate"] === lastDay ? undefined : daysAfter(String(query["endDate"]), 1) };
  }
  if (at(reply, rule.at, rule.more) !== true) return { next: undefined };
  const next = at(reply, rule.at, rule.next);
  if (next === "") return { next: undefined, incomplete: "empty cursor" };
  if (typeof next !== "string") return { next: undefined, incomplete: "missing cursor" };
  return next === cursor ? { next: undefined, incomplete: "repeated cursor" } : { next };
}

/** A filter that passes the items which no earlier page had. Under a rule with cursors it passes all of them. */
function newItems<Item>(rule: PagingRule | undefined): (items: readonly Item[]) => readonly Item[] {
  if (rule?.parameter !== "startAfter") return (items) => items;
  const seen = new Set<string | undefined>();
  return (items) =>
    items.filter((item) => {
      const key = textAt(item, rule.key);
      return !seen.has(key) && seen.add(key);
    });
}

function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const field = at(value, ...path);
  return typeof field === "string" && field !== "" ? field : undefined;
}
