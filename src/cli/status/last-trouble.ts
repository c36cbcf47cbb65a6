import type { JournalLine } from "../../journal/journal-line.ts";

/** Failed delivery. */
export interface Trouble {
  /** ISO 8601. */
  readonly at: string;
  readonly reason: string;
}

/**
 * Finds the failure of a notifier's newest event in the journal; undefined if it was sent or is being retried, or
 * without any event. A notifier with all its programs may still fail, such as sound without a sound server.
 */
export function lastTrouble(name: string, journal: readonly JournalLine[]): Trouble | undefined {
  const last = journal.findLast(({ notifier, status }) => notifier === name && status !== "retrying");
  const isUnsupported = last?.status === "skipped" && last.reason?.startsWith("unsupported:");
  if (!last || (!isUnsupported && last.status !== "failed")) return undefined;
  return { at: last.at, reason: last.reason ?? last.status };
}
