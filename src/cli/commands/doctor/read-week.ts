import { unreadableReason } from "../../../config/answer-rights.ts";
import { parseStored, readStoredField, readStoredLines, type StoredText } from "../../../journal/journal-files.ts";
import type { JournalLine } from "../../../journal/journal-line.ts";
import { maxDisorderMs, maxReadBytes } from "../../../journal/read-journal.ts";

/** Part of the failure reason of events for which the relay's server has no room; see `relay/nats/publisher.ts`. */
export const serverFullReason = "too many events wait at the server";
/** Start of the reason for an event that was dropped from a full spool. */
export const evictedReason = "evicted:";
const neededReasons = [evictedReason, serverFullReason, unreadableReason];

/** Number of recent events whose lookups are checked. */
const maxCheckedEvents = 5;
const weekMs = 7 * 24 * 3_600_000;

/**
 * Reads the lines of the last seven days that a check needs, oldest first, at most 32 MiB: all lines about rejected or
 * evicted events, a full server, and answers that were forged or could not be read; the newest of each notifier and
 * status; and the five newest accepted events.
 */
export function readWeek(folder: string, nowMs: number): JournalLine[] {
  const from = new Date(nowMs - weekMs).toISOString();
  const stopAt = new Date(nowMs - weekMs - maxDisorderMs).toISOString();
  const isNeeded = createFilter();
  const found: JournalLine[] = [];
  for (const stored of readStoredLines(folder, { months: 2, maxBytes: maxReadBytes })) {
    const at = readStoredField(stored, "at") ?? from;
    if (at < stopAt) break;
    if (at >= from && isNeeded(stored)) found.push(...parseStored(stored));
  }
  return found.reverse();
}

function createFilter(): (line: StoredText) => boolean {
  const outcomes = new Set<string>();
  let accepted = 0;
  return (line) => {
    const status = readStoredField(line, "status");
    const notifier = readStoredField(line, "notifier");
    if (status === "accepted") {
      accepted += 1;
      return accepted <= maxCheckedEvents;
    }
    const outcome = notifier === undefined ? undefined : `${notifier} ${status}`;
    const isNewest = outcome !== undefined && !outcomes.has(outcome);
    if (isNewest) outcomes.add(outcome);
    if (status === "rejected" || status === "foreign") return true;
    return isNewest || neededReasons.some((reason) => line.includes(reason));
  };
}
