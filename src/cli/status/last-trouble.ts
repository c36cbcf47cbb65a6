import type { JournalLine } from "../../journal/journal-line.ts";

/** Failed delivery. */
export interface Trouble {
  /** Time of the failure, ISO 8601. */
  readonly at: string;
  readonly reason: string;
}

/**
 * Finds the failure of a notifier's newest event in the journal; undefined if the event was sent or is being retried,
 * or if there is no event. A notifier may fail although its programs are installed, such as `sound` without a sound
 * server.
 */
export function lastTrouble(name: string, journal: readonly JournalLine[]): Trouble | undefined {
  const last = journal.findLast(({ notifier, status }) => notifier === name && status !== "retrying");
  const isUnsupported = last?.status === "skipped" && last.reason?.startsWith("unsupported:");
  if (!last || (!isUnsupported && last.status !== "failed")) return undefined;
  return { at: last.at, reason: last.reason ?? last.status };
}
