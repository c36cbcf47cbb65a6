import { silenceText } from "../../../actions/snooze.ts";
import { readSilences, silencesFile } from "../../../attention/silences.ts";
import { unreadableReason } from "../../../config/answer-rights.ts";
import { bootSeconds, readLockLine } from "../../../files/lock-line.ts";
import { shellWord } from "../../../installer/agents/command-line.ts";
import { parseStored, readStoredField, readStoredLines, type StoredText } from "../../../journal/journal-files.ts";
import type { JournalLine } from "../../../journal/journal-line.ts";
import { maxDisorderMs, maxReadBytes } from "../../../journal/read-journal.ts";
import { configurationId } from "../../../pipeline/config-errors.ts";
import { counted, dayMs, shortDuration } from "../../../text/time.ts";
import { type Check, check, fail, ok, warn } from "./check.ts";

/** Time after which a due event counts as stuck, in milliseconds. */
const overdueMs = 60_000;
/**
 * Time after the end of the worker's promise (see `readLockLine`), in seconds, at which the worker counts as hanging. A
 * running worker renews the promise every second.
 */
const hangAfterSeconds = 6;

/** Checks that events are processed promptly. */
const spool = check("spool", ({ spool: { fresh, waiting, inFlight, oldestFreshAtMs, workerPid }, nowMs }) => {
  const oldestMs = nowMs - (oldestFreshAtMs ?? nowMs);
  if (oldestMs > overdueMs) {
    const detail = `${counted(fresh.length, "event")} waiting, the oldest for ${shortDuration(oldestMs)}`;
    return fail(detail, "beckon flush");
  }
  const overdue = waiting.filter(({ dueAtMs }) => nowMs - dueAtMs > overdueMs);
  const left = workerPid === undefined ? [...overdue, ...inFlight] : overdue;
  if (left.length > 0) return warn(`${counted(left.length, "event")} abandoned by a worker`, "beckon flush");
  return ok(`${fresh.length} new, ${inFlight.length} being delivered, ${waiting.length} held or waiting for a retry`);
});

/** Lists what is snoozed now. */
const snooze = check("snooze", ({ paths, nowMs }) =>
  readSilences(silencesFile(paths), nowMs).map((silence) => warn(silenceText(silence, nowMs), "beckon snooze off")),
);

/** Checks that a running worker responds. */
const worker = check("worker", ({ paths, spool: { workerPid } }) => {
  const line = readLockLine(paths.lock);
  if (!line) return ok("not running; the next event starts it");
  const lateSeconds = bootSeconds() - line.untilSeconds;
  if (workerPid === undefined) return ok("crashed; the next event starts a new one");
  if (lateSeconds < hangAfterSeconds) return ok(`running (process ${workerPid})`);
  const detail = `process ${workerPid} has not responded for ${shortDuration(lateSeconds * 1000)}`;
  return fail(detail, `kill ${workerPid}; beckon flush`);
});

/** Checks that no event has failed for good. Leaves out rejected events, which have a check of their own. */
const dead = check("failed", ({ spool, journal }) => {
  const rejectedIds = new Set(journal.flatMap(({ id, status }) => (status === "rejected" ? id : [])));
  const events = spool.dead.filter(({ id }) => !rejectedIds.has(id));
  const cure = "For the reasons: beckon log --failed. To try again: beckon retry --failed";
  return events.length === 0 ? ok("none") : warn(counted(events.length, "event"), cure);
});

/** Checks that every event of the last 7 days was readable. Ignores configuration errors. */
const rejected = check("rejected, last 7 days", ({ journal }) => {
  const lines = journal.filter(({ status, id }) => status === "rejected" && id !== configurationId);
  const [host] = rejectedHosts(lines);
  const from = host === undefined ? "" : `; of those from other machines, most came from ${host}`;
  const cure =
    host === undefined ? "" : `; to stop them: \`beckon relay leave ${host}\` or \`beckon relay revoke ${host}\``;
  if (lines.length === 0) return ok("none");
  return warn(`${counted(lines.length, "event")} could not be read${from}`, `beckon log --failed${cure}`);
});

/**
 * Checks that no event of the last 7 days was dropped because the spool or the disk was full. Counts the marks that
 * hooks left too, because a worker journals them only later, and a full disk has no room for their lines.
 */
const evicted = check("evicted, last 7 days", ({ journal, lost }) => {
  const lines = journal.filter(({ reason }) => reason?.startsWith(evictedReason));
  const { size } = new Set([...lines, ...lost].map(({ id }) => id));
  if (size === 0) return ok("none");
  return warn(`${counted(size, "event")} dropped because the spool or the disk was full`, "beckon log --failed");
});

/** Checks that recent lookups worked. A failed lookup shows only in the journal: the message lacks its facts. */
const lookups = check("lookups", async ({ journal }) => {
  const line = journal.findLast(({ status, reason }) => status === "accepted" && reason?.startsWith("lookup "));
  if (line?.reason === undefined) return undefined;
  return warn(line.reason, line.reason.includes("lookup service: ") ? await askAgain(line.sessionId) : "beckon log");
});

/** Returns commands that send the same first requests as the service lookup. */
async function askAgain(sessionId = "SESSION"): Promise<string> {
  const { messagePageSizes, sessionPageSizes } = await import("../../../service/session.ts");
  const list = `beckon service sessions list --limit ${sessionPageSizes[0]}`;
  const ofSession = `beckon service sessions messages ${shellWord(sessionId)}`;
  const messages = `${ofSession} --role assistant --limit ${messagePageSizes[0]}`;
  return `To see what goes wrong, send the same requests: \`${list}\` and \`${messages}\``;
}

/** Checks of the events and of the worker that processes them. */
export const eventChecks: readonly Check[] = [snooze, spool, worker, dead, rejected, evicted, lookups];

/** Lists the other machines that sent unreadable events, most frequent first. */
function rejectedHosts(rejected: readonly Pick<JournalLine, "host">[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { host } of rejected) if (host !== undefined) counts.set(host, (counts.get(host) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([host]) => host);
}

/** Part of the failure reason of events for which the relay's server has no room; see `relay/nats/publisher.ts`. */
export const serverFullReason = "too many events wait at the server";
/** Start of the reason for an event that was dropped from a full spool. */
const evictedReason = "evicted:";
const neededReasons = [evictedReason, serverFullReason, unreadableReason];

/** Number of recent events whose lookups are checked. */
const maxCheckedEvents = 5;
const weekMs = 7 * dayMs;

/**
 * Reads the lines of the last seven days that a check needs, oldest first, at most 32 MiB: all lines about rejected or
 * evicted events, a full server, and answers that were forged or could not be read; each notifier's newest message; and
 * the five newest accepted events.
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
  const senders = new Set<string>();
  let accepted = 0;
  return (line) => {
    const status = readStoredField(line, "status");
    if (status === "accepted") {
      accepted += 1;
      return accepted <= maxCheckedEvents;
    }
    if (status === "sent") {
      const { size } = senders;
      return senders.add(readStoredField(line, "notifier") ?? "").size > size;
    }
    return status === "rejected" || status === "foreign" || neededReasons.some((reason) => line.includes(reason));
  };
}
