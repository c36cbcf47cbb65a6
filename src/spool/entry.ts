import { join } from "node:path";

/**
 * Facts that the name of a spool file contains. `<id>.json` is an event as the hook stored it. `<id>.c2.json` is an
 * event with two crashes. `<id>.t1700000000000.json` in `cur/` is an event that waits for an attempt at that time (Unix
 * milliseconds).
 */
export interface Entry {
  readonly id: string;
  /** Number of crashes counted so far, mostly of workers that died while they processed the event. */
  readonly crashes: number;
  readonly dueAtMs?: number;
}

const pattern = /^([A-Za-z0-9_-]{1,64})(?:\.c(\d))?(?:\.t(\d{1,15}))?\.json$/;

/** Parses a file name; undefined for files that are not spool entries. */
export function parseEntry(file: string): Entry | undefined {
  const [, id, crashes, due] = pattern.exec(file) ?? [];
  if (id === undefined) return undefined;
  return { id, crashes: Number(crashes ?? 0), ...(due !== undefined && { dueAtMs: Number(due) }) };
}

/** Builds an entry's file name. */
export function entryFile({ id, crashes, dueAtMs }: Entry): string {
  return `${id}${crashes > 0 ? `.c${crashes}` : ""}${dueAtMs === undefined ? "" : `.t${Math.round(dueAtMs)}`}.json`;
}

/** Longest wait for an attempt: 36 hours. The longest delay in a configuration is a day, and jitter may add a fifth. */
const maxWaitMs = 36 * 3_600_000;

/** True if a due time has come, or is more than 36 hours ahead, which means that it was written with a wrong clock. */
export function isDue(atMs: number, nowMs: number): boolean {
  return !(atMs > nowMs && atMs <= nowMs + maxWaitMs);
}

const records = new Map<string, Buffer>();

/**
 * Newest records of events that could not be written because the disk was full, by spool and id. They stay in memory,
 * so that this process does not send the messages about these events again.
 */
export const unwritten = {
  get: (spool: string, id: string): Buffer | undefined => records.get(join(spool, id)),
  keep: (spool: string, id: string, record: Buffer): void => void records.set(join(spool, id), record),
  forget: (spool: string, id: string): void => void records.delete(join(spool, id)),
};
