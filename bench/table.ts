/** Measured value; with a limit, a promise that the value is at most the limit. */
export type Figure = readonly [name: string, value: number, limit?: number | undefined];

/** Measures; may print a table that compares several ways to do the same. */
export type Measure = () => Promise<readonly Figure[]>;

/** Prints a table: first column aligned left, the others right. */
export function printTable(title: string, columns: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = columns.map((column, index) => Math.max(column.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join("  ");
  console.log(`\n${title}\n${line(columns)}\n${widths.map((width) => "─".repeat(width)).join("  ")}`);
  for (const row of rows) console.log(line(row));
}

/** Computes the median. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Computes a quantile; `part` is from 0 to 1. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
