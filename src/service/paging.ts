import { at } from "../core/json-value.ts";
import { daysAfter } from "./arguments.ts";
import type { IncompleteReason } from "./error.ts";

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

/** Passes the items of a page that no earlier page had. */
export type NewItems = <Item>(items: readonly Item[]) => readonly Item[];

/** A filter for the pages of a walk. Under a rule with cursors it passes all items. */
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
