import type { List, Page } from "../../../../service/list.ts";
import type { Progress } from "./progress.ts";

export interface WalkOptions {
  /** Everything, page after page; else one page. */
  readonly all: boolean;
  /** Rows at most, of one page. */
  readonly atMost: number;
}

/** What was left when the walk was over. */
export interface Rest {
  readonly isMore: boolean;
  /** Where the next page begins, as far as there is one. */
  readonly cursor: string | undefined;
}

/**
 * Hands on the rows of a list, page by page, and tells how far it is while it waits for more.
 * @throws {ServiceError}
 */
export async function walk(
  list: List<object>,
  { all, atMost }: WalkOptions,
  show: (rows: readonly object[]) => void,
  progress: Progress,
): Promise<Rest> {
  if (!all) {
    const { items, next }: Page<object> = await list.page();
    show(items.slice(0, atMost));
    return { isMore: next !== undefined || items.length > atMost, cursor: next };
  }
  let count = 0;
  for await (const { items, next } of list.pages()) {
    progress.clear();
    show(items);
    count += items.length;
    if (next !== undefined) progress.show(`${count.toLocaleString("en")} so far, asking for more …`);
  }
  progress.clear();
  return { isMore: false, cursor: undefined };
}
