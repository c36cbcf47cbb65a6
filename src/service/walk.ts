import { type IncompleteReason, ParseError } from "./error.ts";
import { type ComparePage, createComparison, type Page, type PagingRule } from "./paging.ts";
import type { Answer } from "./service-call.ts";

/** Function that requests one page: the first, or the page at `cursor`. `size` is a number of items or of days. */
export type Load<Item, Reply> = (cursor: string | undefined, size?: number) => Promise<Answer<Page<Item, Reply>>>;

/** Maximum number of empty pages in a row. Not applied to lists of days, which always end. */
const maxEmptyPages = 100;

/** Loop over the pages of a list, in order. */
export class Walk<Item, Reply> {
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
