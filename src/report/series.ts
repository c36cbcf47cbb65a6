/** A number a day. */
export interface Series {
  readonly name: string;
  readonly total: number;
  /** One for each of the report's days. */
  readonly values: readonly number[];
}

export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** Adds up a measure day by day. A row of another day is left out; a day without a row is 0. */
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
