import { localTime } from "../../../../text/time.ts";

/** Value in a table. Numbers are right-aligned, with thousands separators. */
export type Cell = string | number | null | undefined;

/** Column of a table for people. */
export interface Column<Row> {
  readonly title: string;
  /**
   * Returns the column's value for a row.
   * @param nextRow the next row on the page, if any
   */
  readonly read: (row: Row, nextRow?: Row) => Cell;
  /** True for a column whose values are never cut: times, and ids that other commands take. */
  readonly isWhole?: true;
  /** True for a column of instants, which are shown in local time. */
  readonly isTime?: true;
  /** Number of decimals; default: two, or none for an integer. */
  readonly decimals?: number;
}

/** Declares a column of texts or numbers. */
export function column<Row>(title: string, read: Column<Row>["read"]): Column<Row> {
  return { title, read };
}

/** Declares a column that is never cut. */
export function whole<Row>(title: string, read: Column<Row>["read"]): Column<Row> {
  return { title, read, isWhole: true };
}

/** Declares a column of quotients. */
export function ratio<Row>(title: string, read: Column<Row>["read"]): Column<Row> {
  return { title, read, decimals: 2 };
}

/** Declares a column of instants, shown to the minute in local time. */
export function time<Row>(title: string, read: Column<Row>["read"]): Column<Row> {
  return { ...whole<Row>(title, (row) => formatMinute(read(row))), isTime: true };
}

/** Names the local time zone, such as `EST`. */
export function nameZone(): string {
  const parts = new Intl.DateTimeFormat("en-US", { timeZoneName: "short" }).formatToParts();
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "local time";
}

/** Formats an instant to the minute. Other texts stay unchanged. */
function formatMinute(at: Cell): string {
  const shown = localTime(at ?? "");
  return /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(shown) ? shown.slice(0, -":00".length) : shown;
}

/** Returns the name of the item with the greatest count, and its share in percent; empty if the counts add up to 0. */
export function formatLargest<Name extends string, Count extends string>(
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

/**
 * Formats a number as `1,234,567`.
 * @param decimals 0 to 2; default: two, or none for an integer
 */
export function formatNumber(value: number, decimals = Number.isInteger(value) ? 0 : 2): string {
  return formats[decimals]?.format(value) ?? String(value);
}
