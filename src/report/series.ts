/** A number for each day. */
export interface Series {
  readonly name: string;
  /** Sum over the days with a value. */
  readonly total: number;
  /** A value for each day of the report; null for a day without a row. */
  readonly values: readonly (number | null)[];
}

/** Sums all values; 0 without values. */
export function sum(values: Iterable<number | null>): number {
  let total = 0;
  for (const value of values) total += value ?? 0;
  return total;
}

/** Averages values; 0 without values. */
export function average(values: readonly number[]): number {
  return sum(values) / Math.max(1, values.length);
}

/** Adds up one measure of the rows, day by day. Ignores rows of other days. A day without rows is null. */
export function buildSeries<Row extends { readonly date: string }>(
  name: string,
  rows: Iterable<Row>,
  days: readonly string[],
  measure: (row: Row) => number,
): Series {
  const indexByDay = new Map(days.map((day, index) => [day, index]));
  const values = days.map((): number | null => null);
  for (const row of rows) {
    const index = indexByDay.get(row.date);
    if (index !== undefined) values[index] = (values[index] ?? 0) + measure(row);
  }
  return { name, total: sum(values), values };
}

/** Counts the days with a value. */
export function countDays({ values }: Series): number {
  return values.filter((value) => value !== null).length;
}

/** Averages the days with a value; undefined without values. */
export function computeMean(series: Series): number | undefined {
  const days = countDays(series);
  return days === 0 ? undefined : series.total / days;
}

/** Returns the total; undefined if no day has a value. */
export function readTotal(series: Series): number | undefined {
  return countDays(series) === 0 ? undefined : series.total;
}

/** Returns the value of the last day that has one. */
export function readLast({ values }: Series): number | undefined {
  return values.findLast((value) => value !== null) ?? undefined;
}

/** Divides the totals of two series over the days on which both have a value; undefined if the divisor is 0. */
export function divideSeries(dividend: Series, divisor: Series): number | undefined {
  const pairs = dividend.values.flatMap((value, index) => {
    const other = divisor.values[index] ?? null;
    return value === null || other === null ? [] : [[value, other] as const];
  });
  const divisorSum = sum(pairs.map(([, other]) => other));
  return divisorSum === 0 ? undefined : sum(pairs.map(([value]) => value)) / divisorSum;
}
