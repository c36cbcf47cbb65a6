import { at } from "../core/json-value.ts";
import { daysAfter } from "./arguments.ts";
import type { IncompleteReason } from "./error.ts";

/** Rule for the start of a list's next page. */
export type PagingRule =
  /** The reply has a cursor: `reply[at][next]`, while `reply[at][more]` is true. */
  | {
      readonly parameter: "cursor";
      readonly at: string;
      readonly more: string;
      readonly next: string;
      /** Page size of a walk without a `limit`: the API's maximum, for the fewest requests. */
      readonly walkSize: number;
    }
  /** No cursor: the next page starts after the last item, until a page has no new items. */
  | { readonly parameter: "startAfter"; readonly key: string }
  /** A reply has all days requested. A walk requests a few at a time, because replies are large and days additive. */
  | { readonly parameter: "startDate"; readonly walkSize: number };

/** A page: the service's reply, its items under a fixed name, and the cursor of the next page. */
export type Page<Item, Reply = object> = Reply & {
  readonly items: readonly Item[];
  /** Cursor of the next page; undefined on the last page. */
  readonly next: string | undefined;
  /** Reason for a missing cursor, if the service reports more. */
  readonly incomplete?: IncompleteReason;
};

/** Next page after a page. */
export type Continuation = Pick<Page<unknown>, "next" | "incomplete">;

/** Request for a page of a list: its query, the last day of the whole list if it has days, and its cursor. */
interface RequestedPage {
  readonly query: Readonly<Record<string, unknown>>;
  readonly lastDay: unknown;
  readonly cursor: string | undefined;
}

/** Finds the next page after a page: a cursor, the end, or a missing cursor. */
export function readContinuation(
  rule: PagingRule,
  reply: unknown,
  items: readonly unknown[],
  { query, lastDay, cursor }: RequestedPage,
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

/** Filter for items that no earlier page had. */
export type NewItems = <Item>(items: readonly Item[]) => readonly Item[];

/** Makes the filter for the pages of a walk. Under a rule with cursors it passes all items. */
export function newItems(rule: PagingRule | undefined): NewItems {
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
