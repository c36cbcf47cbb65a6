/** A number for each day. */
export interface Series {
  readonly name: string;
  readonly total: number;
  /** One value for each of the report's days. */
  readonly values: readonly number[];
}

/** The sum of all values; 0 without any. */
export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** Adds up a measure of rows by day. Rows of other days are left out; a day without rows is 0. */
export function seriesOf<Row extends { readonly date: string }>(
  name: string,
  rows: Iterable<Row>,
  days: readonly string[],
  measure: (row: Row) => number,
): Series {
  const at = new Map(days.map((day, n) => [day, n]));
  const values = days.map(() => 0);
  for (const row of rows) {
    const n = at.get(row.date);
    if (n !== undefined) values[n] = (values[n] ?? 0) + measure(row);
  }
  return { name, total: sum(values), values };
}
