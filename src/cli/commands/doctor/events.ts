import { bootSeconds, readLockLine } from "../../../files/lock-line.ts";
import { shellWord } from "../../../installer/agents/command-line.ts";
import type { JournalLine } from "../../../journal/journal-line.ts";
import { configurationId } from "../../../pipeline/config-errors.ts";
import { listLostSince } from "../../../spool/spool-state.ts";
import { counted, dayMs, shortDuration } from "../../../text/time.ts";
import { type Check, check, fail, ok, warn } from "./check.ts";
import { evictedReason } from "./read-week.ts";

/** Time after which a due event counts as stuck, in milliseconds. */
const overdueMs = 60_000;
/**
 * Time after the end of the worker's promise (see `LockLine`), in seconds, at which the worker counts as hanging. A
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

/** Checks that no event has failed for good. */
const dead = check("failed", ({ spool: { dead: events } }) => {
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
const evicted = check("evicted, last 7 days", ({ journal, paths, nowMs }) => {
  const lines = journal.filter(({ reason }) => reason?.startsWith(evictedReason));
  const { size } = new Set([...lines, ...listLostSince(paths.spool, nowMs - 7 * dayMs)].map(({ id }) => id));
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
export const eventChecks: readonly Check[] = [spool, worker, dead, rejected, evicted, lookups];

/** Lists the other machines that sent unreadable events, most frequent first. */
function rejectedHosts(rejected: readonly Pick<JournalLine, "host">[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { host } of rejected) if (host !== undefined) counts.set(host, (counts.get(host) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([host]) => host);
}
