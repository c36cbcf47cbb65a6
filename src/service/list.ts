import { at } from "../core/json-value.ts";

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
  | { readonly parameter: "startAfter"; readonly key: string };

/** A page: the reply as the service sent it, its items under one name, and where the next page begins. */
export type Page<Item, Reply = object> = Reply & {
  readonly items: readonly Item[];
  /** Cursor of the next page; undefined on the last one. */
  readonly next: string | undefined;
};

/** Requests one page: the first, or the one at `cursor`. `size` is used where the caller's query has no `limit`. */
type Load<Item, Reply> = (cursor: string | undefined, size?: number) => Promise<Page<Item, Reply>>;

/**
 * A paged list. Nothing is requested before the first item or page is wanted, and then one page at a time, so leaving a
 * loop stops the requests. It can be walked several times; each walk starts over. A walk ends at a missing or repeated
 * cursor, and at a page with nothing new. Without a `limit`, a walk requests pages of 100 where the API allows that, and
 * `page` leaves the size to the service, which is 20.
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
   * One page: the first, or the one at `cursor`.
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
      // Not `yield*`: in an async generator it awaits each item three times.
      for (const item of items) yield item;
    }
  }
}

/** The cursor of the page after this one; undefined at the end of the list, and where the reply does not name one. */
export function nextCursor(
  rule: PagingRule | undefined,
  reply: unknown,
  items: readonly unknown[],
): string | undefined {
  if (rule === undefined) return undefined;
  if (rule.parameter === "startAfter") return textAt(items.at(-1), rule.key);
  return at(reply, rule.at, rule.more) === true ? textAt(reply, rule.at, rule.next) : undefined;
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
