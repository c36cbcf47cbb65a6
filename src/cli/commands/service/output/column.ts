import { localTime } from "../../../../text/local-time.ts";

/** A value of a table. Numbers are aligned to the right and have thousands separators. */
export type Cell = string | number | null | undefined;

/** A column of a table for people. */
export interface Column<Row> {
  readonly title: string;
  /** The column's value in a row. @param below the row after it, if the page has one */
  readonly of: (row: Row, below?: Row) => Cell;
  /** Never cut: a time, or an id that another command takes. */
  readonly isWhole?: true;
  /** Decimals of its numbers; by default two, or none for an integer. */
  readonly decimals?: number;
}

/** A column of texts or numbers. */
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

/** A text that is not an instant stays as it is. */
function minuteOf(at: Cell): string {
  const shown = localTime(at ?? "");
  return /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(shown) ? shown.slice(0, -":00".length) : shown;
}

/** The name of the item with the greatest count, and its share in percent; empty without items. */
export function mostOf<Name extends string, Count extends string>(
  items: readonly (Readonly<Record<Name, string>> & Readonly<Record<Count, number>>)[],
  name: Name,
  count: Count,
): string {
  const sum = items.reduce((total, item) => total + item[count], 0);
  const [first] = items.toSorted((a, b) => b[count] - a[count]);
  return first === undefined || sum === 0 ? "" : `${first[name]} ${Math.round((first[count] / sum) * 100)}%`;
}

const formats = [0, 1, 2].map(
  (digits) => new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }),
);

/** `1,234,567`. @param decimals 0 to 2; by default two, or none for an integer */
export function formatNumber(value: number, decimals = Number.isInteger(value) ? 0 : 2): string {
  return formats[decimals]?.format(value) ?? String(value);
}
