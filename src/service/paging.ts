/** Where a list's next page begins. */
export type PagingRule =
  /** The reply says it: `reply[at][next]`, while `reply[at][more]` is true. */
  | {
      readonly parameter: "cursor";
      readonly at: string;
      readonly more: string;
      readonly next: string;
      /** Items a page in a walk whose caller names no limit: the most there can be, for the fewest requests. */
      readonly walkSize: number;
    }
  /** The reply says nothing: after the last item, until a page brings none that is new. */
  | { readonly parameter: "startAfter"; readonly key: string };

type Fields = Readonly<Record<string, unknown>>;

/** The cursor of the page after this one; undefined at the end of the list, and where the reply names none. */
export function nextCursor(rule: PagingRule | undefined, reply: Fields, items: readonly unknown[]): string | undefined {
  if (rule === undefined) return undefined;
  if (rule.parameter === "startAfter") return textAt(items.at(-1), rule.key);
  const { at, more, next } = rule;
  const place = reply[at] as Fields | undefined;
  return place?.[more] === true ? textAt(place, next) : undefined;
}

/** Tells, page after page, which items were not there before. All of them, where the rule does not go by items. */
export function newItems<Item>(rule: PagingRule | undefined): (items: readonly Item[]) => readonly Item[] {
  if (rule?.parameter !== "startAfter") return (items) => items;
  const seen = new Set<string | undefined>();
  return (items) =>
    items.filter((item) => {
      const key = textAt(item, rule.key);
      return !seen.has(key) && seen.add(key);
    });
}

function textAt(value: unknown, key: string): string | undefined {
  const field = (value as Fields | null | undefined)?.[key];
  return typeof field === "string" && field !== "" ? field : undefined;
}
