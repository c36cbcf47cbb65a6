import { statSync } from "node:fs";
import { shortDuration } from "../../local-time.ts";
import { type Check, fail, ok, warn } from "./check.ts";

const stuckMs = 60_000;
/** A worker touches its lock every second. */
const hangingMs = 10_000;

/** Events are taken up soon after they come in. */
export const spool: Check = ({ spool: { fresh, waiting, inFlight, oldestFreshAtMs, workerPid }, nowMs }) => {
  const name = "spool";
  const oldestMs = oldestFreshAtMs === undefined ? 0 : nowMs - oldestFreshAtMs;
  if (oldestMs > stuckMs) {
    return [fail(name, `${fresh.length} events wait, the oldest for ${shortDuration(oldestMs)}`, "beckon flush")];
  }
  const overdue = waiting.filter(({ dueAtMs }) => nowMs - dueAtMs > stuckMs);
  const left = workerPid === undefined ? [...overdue, ...inFlight] : overdue;
  if (left.length > 0) return [warn(name, `${left.length} events were left lying by a worker`, "beckon flush")];
  return [ok(name, `${fresh.length} fresh, ${inFlight.length} in flight, ${waiting.length} waiting`)];
};

/** The worker that holds the spool, if there is one, says that it lives. */
export const lock: Check = ({ paths, spool: { workerPid }, nowMs }) => {
  const stats = statSync(paths.lock, { throwIfNoEntry: false });
  if (!stats) return [ok("worker", "not running; the next event starts one")];
  const silentMs = nowMs - stats.mtimeMs;
  if (workerPid === undefined) return [ok("worker", "died; the next event starts another")];
  if (silentMs < hangingMs) return [ok("worker", `running (process ${workerPid})`)];
  return [
    fail(
      "worker",
      `process ${workerPid} has not moved for ${shortDuration(silentMs)}`,
      `kill ${workerPid}; beckon flush`,
    ),
  ];
};

/** Events that were given up. */
export const dead: Check = ({ spool }) => {
  const { length } = spool.dead;
  return [length === 0 ? ok("given up", "none") : warn("given up", `${length} events`, "beckon retry --failed")];
};

/** Events of the last 7 days that were refused, or dropped for want of room. */
export const lost: Check = ({ journal }) => {
  const rejected = journal.filter(({ status }) => status === "rejected").length;
  const evicted = journal.filter(({ reason }) => reason?.startsWith("evicted:")).length;
  return [
    rejected === 0
      ? ok("rejected, last 7 days", "none")
      : warn("rejected, last 7 days", `${rejected} events could not be read`, "beckon log --failed"),
    evicted === 0
      ? ok("evicted, last 7 days", "none")
      : warn("evicted, last 7 days", `${evicted} events had no room in the spool`, "beckon log --failed"),
  ];
};

const recentEvents = 5;

/** What a lookup could not find is missing from the notification, and nothing but the journal says so. */
export const lookups: Check = ({ journal }) => {
  const recent = journal.filter(({ status }) => status === "accepted").slice(-recentEvents);
  const problem = recent.findLast(({ reason }) => reason?.startsWith("lookup "))?.reason;
  if (problem === undefined) return [];
  const cure = "`beckon service sessions list --limit 1` asks the same, and says what to do.";
  return [warn("lookups", problem, problem.includes("lookup service: ") ? cure : "beckon log")];
};

/** All checks of events. */
export const eventChecks: readonly Check[] = [spool, lock, dead, lost, lookups];
