import { localTime } from "../../../local-time.ts";

/** A value of a table: numbers stand at the right, with thousands separators. */
export type Cell = string | number | null | undefined;

/** A column of a table for people. */
export interface Column<Row> {
  readonly title: string;
  /** @param below the row after it, where the page has one */
  readonly of: (row: Row, below?: Row) => Cell;
  /** Never cut: an id, which another command takes, or a time. */
  readonly isWhole?: true;
  /** Digits behind the point of its numbers; else two for those that are not whole. */
  readonly decimals?: number;
}

export function column<Row>(title: string, of: Column<Row>["of"]): Column<Row> {
  return { title, of };
}

/** A column that is never cut. */
export function whole<Row>(title: string, of: Column<Row>["of"]): Column<Row> {
  return { title, of, isWhole: true };
}

/** A column of quotients. */
export function ratio<Row>(title: string, of: Column<Row>["of"]): Column<Row> {
  return { title, of, decimals: 2 };
}

/** A column of instants, shown to the minute in local time. */
export function time<Row>(title: string, of: Column<Row>["of"]): Column<Row> {
  return whole(title, (row) => minuteOf(of(row)));
}

/** Texts whose format is not known stay as they are. */
function minuteOf(at: Cell): string {
  const shown = localTime(at ?? "");
  return /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(shown) ? shown.slice(0, -":00".length) : shown;
}

/** The name of what there is most of, with its share in percent. */
export function mostOf<Item>(items: readonly Item[], name: (item: Item) => string, count: (item: Item) => number) {
  const sum = items.reduce((total, item) => total + count(item), 0);
  const [first] = items.toSorted((a, b) => count(b) - count(a));
  return first === undefined || sum === 0 ? "" : `${name(first)} ${Math.round((count(first) / sum) * 100)} %`;
}
