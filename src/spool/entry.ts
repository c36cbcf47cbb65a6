/**
 * What a file name in the spool says: `<id>.json` as it came in; `<id>.c2.json` after two workers died over it;
 * `<id>.t1700000000000.json` waiting in `cur/` for its next attempt at that Unix time in milliseconds.
 */
export interface Entry {
  readonly id: string;
  readonly crashes: number;
  readonly dueAtMs?: number;
}

const pattern = /^([A-Za-z0-9_-]{1,64})(?:\.c(\d))?(?:\.t(\d{1,15}))?\.json$/;

/** Reads a file name; undefined for files that are not the spool's. */
export function parseEntry(file: string): Entry | undefined {
  const [, id, crashes, due] = pattern.exec(file) ?? [];
  if (id === undefined) return undefined;
  return { id, crashes: Number(crashes ?? 0), ...(due !== undefined && { dueAtMs: Number(due) }) };
}

/** The file name of an entry. */
export function entryFile({ id, crashes, dueAtMs }: Entry): string {
  return `${id}${crashes > 0 ? `.c${crashes}` : ""}${dueAtMs === undefined ? "" : `.t${Math.round(dueAtMs)}`}.json`;
}
