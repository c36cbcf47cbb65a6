import { existsSync, lstatSync, readdirSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Paths } from "../core/paths.ts";
import { findProcess, type RunningProcess } from "../core/process-table.ts";
import { readQuietly } from "../core/read-quietly.ts";

/** The process title of a worker. Linux keeps 15 bytes of it as the name. */
export const workerTitle = "beckon-worker";

/**
 * What a worker's process is called while it starts: the launcher, what takes it out of the agent's group, Node, its
 * title.
 */
const startingNames: readonly (string | undefined)[] = [
  ...["hook", "sh", "setsid", "perl", "node", "MainThread"],
  ...[workerTitle, undefined],
];

/**
 * What a worker must have in its environment, since Node and libc read it before the first line of a module runs;
 * hooks/hook.sh sets the same. Threads for its file access and, at most half of them, name lookups: with Node's four, two
 * hosts whose name server hangs would keep every other host waiting. And one heap for all threads: glibc would make one
 * for each, which took two megabytes more.
 */
export const workerEnvironment = { UV_THREADPOOL_SIZE: "16", MALLOC_ARENA_MAX: "1" } as const;

/** A worker that has not taken the lock so long after it was started never will. */
const maxStartMs = 10_000;

/** A lock whose heartbeat is older is stale, whoever holds it: a worker that hangs, or one on another host. */
const staleAfterMs = 10_000;

/** A worker is suspected of hanging only when this many events wait to be claimed. */
const minBacklog = 16;

/**
 * The process number in a worker's lock, if that process runs and is a worker. Where names are not known, as on macOS
 * and Windows, a number may be another process' by now: there the heartbeat tells.
 */
export function livingWorker(lock: string): number | undefined {
  return livingHolder(lock, workerTitle);
}

/** The process number in a lock, if that process runs and, where its name is known, has this title. */
export function livingHolder(lock: string, title: string): number | undefined {
  const holder = processIn(lock);
  const isIt = holder?.name === undefined ? isBeating(lock) : holder.name === title;
  return holder && isIt ? holder.pid : undefined;
}

/** Whether the heartbeat of a lock, its modification time, is young enough for a worker that does not hang. */
export function isBeating(lock: string): boolean {
  return Math.abs(Date.now() - modifiedAtMs(lock)) < staleAfterMs;
}

/**
 * Starts a worker unless one is starting, or runs and does not hang. It gets a session of its own and none of this
 * process' streams. Call it once the event is visible in `new/`: a worker looks there after it has started.
 * @param worker absolute path of the compiled worker, by default the installed one; where there is none, nothing
 * happens
 */
export async function wake(paths: Paths, worker: string = paths.worker): Promise<void> {
  if (isStarting(paths) || (livingWorker(paths.lock) && !hangs(paths))) return;
  if (!existsSync(worker)) return; // the event waits for the next hook; `doctor` reports it
  const { NODE_OPTIONS: _, ...env } = process.env;
  const { spawn } = await import("node:child_process"); // loaded here: 3 ms that a hook saves while a worker runs
  const child = spawn(process.execPath, [worker], {
    cwd: paths.root,
    detached: true,
    // The worker looks for no program in the project, wherever PATH leads.
    env: {
      ...env,
      BECKON_HOME: paths.root,
      BECKON_PROJECT: env["BECKON_PROJECT"] ?? workingDirectory(),
      ...workerEnvironment,
    },
    stdio: "ignore",
    windowsHide: true,
  });
  child.on("error", () => {}); // no process could be started: the event waits for the next hook
  child.unref();
  if (child.pid !== undefined) writeMark(paths.starting, child.pid);
}

function workingDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined; // deleted meanwhile
  }
}

/**
 * Replaces the mark, without following a link in its place. Without one, as on a full disk, another hook may start a
 * second worker, which leaves again; as it does where that hook has just written its own.
 */
function writeMark(starting: string, pid: number): void {
  try {
    rmSync(starting, { force: true });
    writeFileSync(starting, `${pid}\n`, { flag: "wx", mode: 0o600 });
  } catch {
    // see above
  }
}

/**
 * Whether a worker is on its way: a mark of this user's that is young and holds the number of a process that may be
 * one. The mark stays behind when a worker is killed while it starts, and the number may be another process' by then.
 */
export function isStarting({ starting }: Pick<Paths, "starting">): boolean {
  const stats = lstatSync(starting, { throwIfNoEntry: false });
  if (!stats?.isFile() || (process.getuid && stats.uid !== process.getuid())) return false;
  const ageMs = Math.abs(Date.now() - stats.mtimeMs);
  const found = ageMs < maxStartMs ? processIn(starting) : undefined;
  return found !== undefined && startingNames.includes(found.name);
}

/** Removes a mark that no starting worker stands behind. Returns whether there was one. */
export function removeStaleMark(paths: Pick<Paths, "starting">): boolean {
  return existsSync(paths.starting) && !isStarting(paths) && removeMark(paths);
}

/** Removes the mark of a start. Returns whether there was one; a folder in its place stays, and `doctor` reports it. */
export function removeMark({ starting }: Pick<Paths, "starting">): boolean {
  try {
    unlinkSync(starting);
    return true;
  } catch {
    return false;
  }
}

/**
 * A healthy worker renews its heartbeat every second, and its promise to watch (`watch-readers.ts`) before that is over:
 * if many events wait and all are newer than both, the worker hangs.
 */
function hangs({ spool, lock, watching }: Paths): boolean {
  const promisedUntilMs = statSync(watching, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (promisedUntilMs > Date.now()) return false;
  const waiting = readdirSync(join(spool, "new"));
  if (waiting.length < minBacklog) return false;
  const heartbeatAtMs = modifiedAtMs(lock);
  return waiting.every((file) => modifiedAtMs(join(spool, "new", file)) >= heartbeatAtMs);
}

function modifiedAtMs(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
}

/** The running process whose number a file begins with. */
function processIn(file: string): RunningProcess | undefined {
  const pid = Number.parseInt(readQuietly(file) ?? "", 10);
  return pid > 0 ? findProcess(pid) : undefined;
}
