import * as z from "zod";
import { at } from "../core/json-value.ts";
import { daysAfter } from "./arguments.ts";
import type { IncompleteReason } from "./error.ts";

/** Largest page size. */
export const maxLimit = 100;

const limitMessage = `must be a whole number from 1 to ${maxLimit}`;

export const limit = z
  .int({ error: limitMessage })
  .min(1, limitMessage)
  .max(maxLimit, limitMessage)
  .optional()
  .describe("Items per page, 1 to 100; the service's default is 20.");
/** Schema of `limit` for endpoints whose maximum is not documented. */
export const positiveLimit = z
  .int({ error: "must be a whole number, 1 or more" })
  .min(1, "must be 1 or more")
  .optional()
  .describe("Items per page, 1 or more.");

/** Rule that tells where the next page of a list starts. */
export type PagingRule =
  /** The reply has a cursor: `reply[at][next]`, while `reply[at][more]` is true. */
  | {
      readonly parameter: "cursor";
      readonly at: string;
      readonly more: string;
      readonly next: string;
      /** Page size of a loop without a `limit`: the API's maximum, so that there are few requests. */
      readonly walkSize: number;
    }
  /**
   * The reply has no cursor. The next page starts after the last item, until a page has no new items. `limit` is the
   * caller's page size.
   */
  | { readonly parameter: "startAfter"; readonly key: string; readonly limit?: number | undefined }
  /** The reply has all days requested. A loop requests a few days at a time, because replies are large. */
  | { readonly parameter: "startDate"; readonly walkSize: number };

/** A page: the service's reply, its items under a fixed name, and the cursor of the next page. */
export type Page<Item, Reply = object> = Reply & {
  readonly items: readonly Item[];
  /** Cursor of the next page; undefined on the last page. */
  readonly next: string | undefined;
  /** Reason that the rest of the list cannot be fetched although the service reports more. */
  readonly incomplete?: IncompleteReason;
};

/** Request for a page of a list: the query, the cursor, and the last day of the whole list if the list has days. */
interface RequestedPage {
  readonly query: Readonly<Record<string, unknown>>;
  readonly lastDay: unknown;
  readonly cursor: string | undefined;
}

/** Finds out how a list continues after a page: with a cursor, not at all, or with a cursor that is missing. */
export function readContinuation(
  rule: PagingRule,
  reply: unknown,
  items: readonly unknown[],
  { query, lastDay, cursor }: RequestedPage,
): Pick<Page<unknown>, "next" | "incomplete"> {
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

/** Function that compares each page of a loop with the earlier ones. Call it in order of the pages. */
type ComparePage = <Item>(items: readonly Item[]) => {
  /** Items that no earlier page had. */
  readonly items: readonly Item[];
  /** Set if this page is the last: `complete` at the list's end, `repeated page` if the service repeats itself. */
  readonly end?: "complete" | "repeated page";
};

/** Makes the function that compares pages: item by item if each page starts after an item, else as whole pages. */
export function createComparison(rule: PagingRule | undefined): ComparePage {
  if (rule?.parameter === "startAfter") return compareItems(rule);
  return rule?.parameter === "cursor" ? comparePages() : (items) => ({ items });
}

/**
 * Compares items by their key. A page without new items is the last; it may repeat the item after which it should
 * start. If such a page is as long as the longest page, the service probably ignores the parameter and repeats the
 * first page.
 */
function compareItems({ key, limit }: Extract<PagingRule, { parameter: "startAfter" }>): ComparePage {
  const seen = new Set<string | undefined>();
  let longest = 0;
  return (items) => {
    const added = items.filter((item) => {
      const id = textAt(item, key);
      return !seen.has(id) && seen.add(id);
    });
    const isFull = items.length >= longest && (items.length > 1 || limit === 1);
    longest = Math.max(longest, items.length);
    if (added.length > 0 || items.length === 0) return { items: added };
    return { items: added, end: isFull ? "repeated page" : "complete" };
  };
}

/**
 * Maximum number of times that the same page with a single item may come. An item can move to the next page while the
 * list changes.
 */
const maxSameItem = 2;

/** Returns a function that recognizes repeated pages by their length, first item and last item. */
function comparePages(): ComparePage {
  const counts = new Map<string, number>();
  return (items) => {
    if (items.length === 0) return { items };
    const page = JSON.stringify([items.length, items[0], items.at(-1)]);
    const count = (counts.get(page) ?? 0) + 1;
    counts.set(page, count);
    return count > (items.length === 1 ? maxSameItem : 1) ? { items: [], end: "repeated page" } : { items };
  };
}

function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const field = at(value, ...path);
  return typeof field === "string" && field !== "" ? field : undefined;
}
