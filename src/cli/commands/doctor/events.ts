import { bootSeconds, readLockLine } from "../../../files/lock-line.ts";
import { shellWord } from "../../../installer/agents/command-line.ts";
import type { JournalLine } from "../../../journal/journal-line.ts";
import { configurationId } from "../../../pipeline/config-errors.ts";
import { messagePageSizes, sessionPageSizes } from "../../../service/session.ts";
import { counted } from "../../../text/counted.ts";
import { shortDuration } from "../../../text/local-time.ts";
import { type Check, check, fail, ok, warn } from "./check.ts";

/** An event that is due for longer than this is not being processed. */
const overdueMs = 60_000;
/** A worker renews its promise every second; one that is this late with it hangs. */
const hangingSeconds = 6;
/** Number of events whose lookups are checked. */
const recentEvents = 5;

/** Events are processed soon after they come in. */
const spool = check("spool", ({ spool: { fresh, waiting, inFlight, oldestFreshAtMs, workerPid }, nowMs }) => {
  const oldestMs = nowMs - (oldestFreshAtMs ?? nowMs);
  if (oldestMs > overdueMs) {
    const detail = `${counted(fresh.length, "event")} waiting, the oldest for ${shortDuration(oldestMs)}`;
    return fail(detail, "beckon flush");
  }
  const overdue = waiting.filter(({ dueAtMs }) => nowMs - dueAtMs > overdueMs);
  const left = workerPid === undefined ? [...overdue, ...inFlight] : overdue;
  if (left.length > 0) return warn(`${counted(left.length, "event")} left behind by a worker`, "beckon flush");
  return ok(`${fresh.length} new, ${inFlight.length} in flight, ${waiting.length} held or to be retried`);
});

/** The worker that holds the spool, if there is one, is alive. */
const worker = check("worker", ({ paths, spool: { workerPid } }) => {
  const line = readLockLine(paths.lock);
  if (!line) return ok("not running; the next event starts it");
  const lateSeconds = bootSeconds() - line.untilSeconds;
  if (workerPid === undefined) return ok("crashed; the next event starts a new one");
  if (lateSeconds < hangingSeconds) return ok(`running (process ${workerPid})`);
  const detail = `process ${workerPid} has been hanging for ${shortDuration(lateSeconds * 1000)}`;
  return fail(detail, `kill ${workerPid}; beckon flush`);
});

/** No event is dead. */
const dead = check("failed", ({ spool: { dead: events } }) => {
  const cure = "`beckon log --failed` shows why, `beckon retry --failed` tries again.";
  return events.length === 0 ? ok("none") : warn(counted(events.length, "event"), cure);
});

/** Every event of the last 7 days could be read. Errors of the configuration are no events. */
const rejected = check("rejected, last 7 days", ({ journal }) => {
  const lines = journal.filter(({ status, id }) => status === "rejected" && id !== configurationId);
  const [host] = rejectedHosts(lines);
  const from = host === undefined ? "" : `, most of those from other machines by ${host}`;
  const cure = host === undefined ? "" : `; \`beckon relay leave ${host}\` or \`beckon relay revoke ${host}\` stops it`;
  if (lines.length === 0) return ok("none");
  return warn(`${counted(lines.length, "event")} could not be read${from}`, `beckon log --failed${cure}`);
});

/** No event of the last 7 days was evicted from a full spool. */
const evicted = check("evicted, last 7 days", ({ journal }) => {
  const { length } = journal.filter(({ reason }) => reason?.startsWith("evicted:"));
  if (length === 0) return ok("none");
  return warn(`${counted(length, "event")} dropped because the spool or the disk was full`, "beckon log --failed");
});

/** The lookups of the last events worked. If one fails, only the journal says so: the message just lacks its facts. */
const lookups = check("lookups", ({ journal }) => {
  const recent = journal.filter(({ status }) => status === "accepted").slice(-recentEvents);
  const line = recent.findLast(({ reason }) => reason?.startsWith("lookup "));
  if (line?.reason === undefined) return undefined;
  return warn(line.reason, line.reason.includes("lookup service: ") ? askAgain(line.sessionId) : "beckon log");
});

/** The commands that send the first requests of the service lookup, and say what to do. */
function askAgain(sessionId = "SESSION"): string {
  const list = `beckon service sessions list --limit ${sessionPageSizes[0]}`;
  const ofSession = `beckon service sessions messages ${shellWord(sessionId)}`;
  const messages = `${ofSession} --role assistant --limit ${messagePageSizes[0]}`;
  return `\`${list}\` and \`${messages}\` send the same requests and say what to do.`;
}

/** Checks of the events and of the worker that processes them. */
export const eventChecks: readonly Check[] = [spool, worker, dead, rejected, evicted, lookups];

/** The other machines whose events could not be read, the most frequent first; none for this machine's own events. */
function rejectedHosts(rejected: readonly Pick<JournalLine, "host">[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { host } of rejected) if (host !== undefined) counts.set(host, (counts.get(host) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([host]) => host);
}
