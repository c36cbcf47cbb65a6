/**
 * A file in the spool, as its name describes it: `<id>.json` as the hook stored it; `<id>.c2.json` after two workers
 * died over it; `<id>.t1700000000000.json` in `cur/`, waiting for its next attempt at that Unix time in milliseconds.
 */
export interface Entry {
  readonly id: string;
  /** How many workers died over it. */
  readonly crashes: number;
  readonly dueAtMs?: number;
}

const pattern = /^([A-Za-z0-9_-]{1,64})(?:\.c(\d))?(?:\.t(\d{1,15}))?\.json$/;

/** Parses a file name; undefined for files that the spool did not name. */
export function parseEntry(file: string): Entry | undefined {
  const [, id, crashes, due] = pattern.exec(file) ?? [];
  if (id === undefined) return undefined;
  return { id, crashes: Number(crashes ?? 0), ...(due !== undefined && { dueAtMs: Number(due) }) };
}

/** The file name of an entry. */
export function entryFile({ id, crashes, dueAtMs }: Entry): string {
  return `${id}${crashes > 0 ? `.c${crashes}` : ""}${dueAtMs === undefined ? "" : `.t${Math.round(dueAtMs)}`}.json`;
}

/** No wait is longer: the longest configurable delay is a day, and jitter may add a fifth of it. */
const maxWaitMs = 36 * 3_600_000;

/**
 * Whether the time of something that waits has come. A time more than 36 hours ahead was written while the clock was
 * wrong and counts as come: otherwise one start with the clock at 2030 would mean waiting for years.
 */
export function isDue(atMs: number, nowMs: number): boolean {
  return !(atMs > nowMs && atMs <= nowMs + maxWaitMs);
}
