import { existsSync, unlinkSync, writeFileSync } from "node:fs";
import { isAwake, lockLine } from "../files/lock-line.ts";
import { type Paths, workingDirectory } from "../files/paths.ts";

/** The process title of a worker, for people who look at the processes. Linux keeps 15 bytes of it as the name. */
export const workerTitle = "beckon-worker";

/**
 * What a worker must have in its environment, since Node and libc read it before the first line of a module runs;
 * hooks/hook.sh sets the same. Threads for its file access and, at most half of them, name lookups: with Node's four, two
 * hosts whose name server hangs would keep every other host waiting. And one heap for all threads: glibc would make one
 * for each, which took two megabytes more.
 */
export const workerEnvironment = { UV_THREADPOOL_SIZE: "16", MALLOC_ARENA_MAX: "1" } as const;

/**
 * Starts a worker unless one lives or is on its way. It gets a session of its own and none of this process' streams.
 * Call it once the event is visible in `new/`: a worker looks there once more after it has given up its lock.
 * @param worker absolute path of the compiled worker, by default the installed one; where there is none, nothing
 * happens
 */
export async function wake(paths: Paths, worker: string = paths.worker): Promise<void> {
  if (isAwake(paths.lock) || isAwake(paths.starting)) return;
  if (!existsSync(worker)) return; // the event waits for the next hook; `doctor` reports it
  if (!mark(paths)) return;
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
  if (child.pid === undefined) removeMark(paths);
  else writeMark(paths, child.pid, "w");
}

/**
 * Marks that this process starts a worker. Where there can be no mark, as on a full disk, another hook may start a
 * second worker, which leaves again.
 * @returns false if another process has begun to start one
 */
function mark(paths: Pick<Paths, "starting">): boolean {
  if (writeMark(paths, process.pid, "wx")) return true;
  if (isAwake(paths.starting)) return false;
  removeMark(paths);
  writeMark(paths, process.pid, "wx");
  return true;
}

function writeMark({ starting }: Pick<Paths, "starting">, pid: number, flag: "w" | "wx"): boolean {
  try {
    writeFileSync(starting, lockLine(pid), { flag, mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

/** Removes the mark of a start. A folder in its place stays, and `doctor` reports it. */
export function removeMark({ starting }: Pick<Paths, "starting">): void {
  try {
    unlinkSync(starting);
  } catch {
    // there is none
  }
}
