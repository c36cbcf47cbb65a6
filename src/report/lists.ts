import { omitUndefined } from "../core/omit-undefined.ts";
import type { List } from "../service/list.ts";
import type { CallOptions } from "../service/transport.ts";
import { buildCoverage, type Coverage } from "./coverage.ts";
import { UniqueRows } from "./unique-rows.ts";

/** List that the service sends page by page and not by day, such as the users. */
export interface WalkedList<Row, Kept> {
  readonly list: (call: CallOptions) => List<Row>;
  readonly key: (row: Row) => string;
  /** Picks what is kept of a row in memory. */
  readonly trim: (row: Row) => Kept;
  /** True for a row of a sorted list that makes the next pages unnecessary. All rows of its page are kept. */
  readonly isLast?: (row: Row) => boolean;
}

/** Rows of a list, each once, and the list's coverage. */
export interface ListRows<Kept> {
  readonly rows: readonly Kept[];
  readonly coverage: Coverage;
}

/** Requests a list page by page. Unreadable and repeated rows are counted in the coverage. @throws {ServiceError} */
export async function fetchList<Row, Kept>(
  { list, key, trim, isLast = () => false }: WalkedList<Row, Kept>,
  call: CallOptions,
): Promise<ListRows<Kept>> {
  const rows = new UniqueRows<Kept>();
  let brokenRows = 0;
  let brokenOff: string | undefined;
  const onInvalidRow = (): void => {
    brokenRows += 1;
  };
  for await (const page of list({ ...call, onInvalidRow }).pages()) {
    for (const row of page.items) rows.put(key(row), trim(row));
    brokenOff = page.incomplete;
    if (page.items.some(isLast)) {
      brokenOff = undefined;
      break;
    }
  }
  return { rows: rows.list(), coverage: buildCoverage(omitUndefined({ brokenRows, brokenOff, ...rows.repeats() })) };
}
