import { isDeepStrictEqual } from "node:util";

/** Rows by key, each kept once. A row that comes again, because the list changed, replaces the earlier row. */
export class UniqueRows<Row> {
  readonly #rows = new Map<string, Row>();
  #repeated = 0;
  readonly #changed = new Set<string>();

  /** Adds a row, or replaces the row with the same key. */
  put(key: string, row: Row): void {
    const earlier = this.#rows.get(key);
    if (earlier !== undefined) {
      this.#repeated += 1;
      if (!isDeepStrictEqual(earlier, row)) this.#changed.add(key);
    }
    this.#rows.set(key, row);
  }

  /** Lists each row once. */
  list(): Row[] {
    return [...this.#rows.values()];
  }

  /** Counts the repetitions of rows, and the rows whose content differed. */
  repeats(): { readonly repeatedRows: number; readonly changedRows: number } {
    return { repeatedRows: this.#repeated, changedRows: this.#changed.size };
  }
}

/** Fields that identify a row of analytics. */
interface Identified {
  readonly date: string;
  readonly group_key?: unknown;
  readonly user_id?: unknown;
  readonly user_email?: unknown;
}

/** Builds the key of a row of analytics: its day, and its group or user. */
export function buildRowKey({ date, group_key: group, user_id: user, user_email: email }: Identified): string {
  return JSON.stringify([date, group, user || email]);
}
