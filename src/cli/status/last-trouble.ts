import type { JournalLine } from "../../journal/journal-line.ts";

/** Failed delivery. */
export interface Trouble {
  /** Time of the failure, ISO 8601. */
  readonly at: string;
  readonly reason: string;
}

/**
 * Finds the failure in a notifier's newest journal line, without counting lines about retries; undefined if that line
 * is not a failure. A notifier may fail although its programs are installed, such as `sound` without a sound server.
 */
export function lastTrouble(name: string, journal: readonly JournalLine[]): Trouble | undefined {
  const last = journal.findLast(({ notifier, status }) => notifier === name && status !== "retrying");
  const isUnsupported = last?.status === "skipped" && last.reason?.startsWith("unsupported:");
  if (!last || (!isUnsupported && last.status !== "failed")) return undefined;
  return { at: last.at, reason: last.reason ?? last.status };
}
