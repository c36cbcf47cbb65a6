import { inspect } from "node:util";

/**
 * Checks the rows of a table one after another, and returns `name: message` for each that fails, for
 * `expect(…).toEqual([])`. The name is a row's first element if that is a text, otherwise the whole row. A table without
 * rows is a failure too.
 */
export async function collectFailures<Row>(
  rows: readonly Row[],
  check: (row: Row) => unknown,
): Promise<readonly string[]> {
  if (rows.length === 0) return ["the table has no rows"];
  const failures: string[] = [];
  for (const row of rows) {
    try {
      await check(row);
    } catch (error) {
      failures.push(`${nameRow(row)}: ${error instanceof Error ? error.message : inspect(error)}`);
    }
  }
  return failures;
}

function nameRow(row: unknown): string {
  const [first] = Array.isArray(row) ? row : [];
  return typeof first === "string" ? first : inspect(row, { breakLength: Number.POSITIVE_INFINITY, depth: 4 });
}
