import type { JournalLine } from "../../journal/journal-line.ts";

/** A delivery that did not work. */
export interface Trouble {
  /** ISO 8601. */
  readonly at: string;
  readonly reason: string;
}

/**
 * What kept the newest event for a notifier from being delivered, as the journal has it; undefined where it was sent,
 * is being retried, or there was none. A notifier whose programs are there may still not work, such as a sound without
 * a sound server.
 */
export function lastTrouble(name: string, journal: readonly JournalLine[]): Trouble | undefined {
  const last = journal.findLast(({ notifier, status }) => notifier === name && status !== "retrying");
  const isUnsupported = last?.status === "skipped" && last.reason?.startsWith("unsupported:");
  if (!last || (!isUnsupported && last.status !== "failed")) return undefined;
  return { at: last.at, reason: last.reason ?? last.status };
}
