import { existsSync, unlinkSync, writeFileSync } from "node:fs";
import { quietly, succeeds } from "../core/quietly.ts";
import { isAwake, lockLine } from "../files/lock-line.ts";
import { type Paths, workingDirectory } from "../files/paths.ts";
import { fileVersion } from "../files/read-file.ts";

/** Process title of a worker, as `ps` shows it. Linux uses the first 15 bytes as the process's name. */
export const workerTitle = "beckon-worker";

/**
 * Environment variables for a worker, which Node and libc read at the start; hooks/hook.sh sets the same variables.
 * Looking up host names uses at most half of Node's threads. With the default of four, two hosts whose name server
 * hangs would block all other lookups. One heap for all threads instead of one per thread saves 2 MB with glibc.
 */
export const workerEnvironment = { UV_THREADPOOL_SIZE: "16", MALLOC_ARENA_MAX: "1" } as const;

/**
 * Starts a worker unless one is running or starting. The worker gets a process session of its own and none of this
 * process's streams. Call this function only after the event is in `new/`, because a worker that exits checks the spool
 * once more after it releases its lock.
 * @param worker absolute path of the compiled worker; default: the installed worker. If the file is missing, nothing
 * happens
 */
export async function wake(paths: Paths, worker: string = paths.worker): Promise<void> {
  if (isAwake(paths.lock) || isAwake(paths.starting)) return;
  if (!existsSync(worker)) return; // the event waits for the next hook, and `doctor` reports it
  if (!mark(paths)) return;
  const { NODE_OPTIONS: _, ...env } = process.env;
  const { spawn } = await import("node:child_process"); // loaded here to save 3 ms while a worker runs
  const child = spawn(process.execPath, [worker], {
    cwd: paths.root,
    detached: true,
    // A worker never runs programs from the project, even if PATH contains the project's folders.
    env: {
      ...env,
      BECKON_HOME: paths.root,
      BECKON_PROJECT: env["BECKON_PROJECT"] ?? workingDirectory(),
      ...workerEnvironment,
    },
    stdio: "ignore",
    windowsHide: true,
  });
  child.on("error", () => {}); // if the process cannot be started, the event waits for the next hook
  child.unref();
  if (child.pid === undefined) removeMark(paths);
  else writeMark(paths, child.pid, "w");
}

/**
 * Marks that this process is starting a worker. If the mark cannot be written, as on a full disk, another hook may
 * start a second worker, which exits soon.
 * @returns false if another process is already starting a worker
 */
function mark(paths: Pick<Paths, "starting">): boolean {
  if (writeMark(paths, process.pid, "wx")) return true;
  if (isAwake(paths.starting)) return false;
  removeMark(paths);
  writeMark(paths, process.pid, "wx");
  return true;
}

function writeMark({ starting }: Pick<Paths, "starting">, pid: number, flag: "w" | "wx"): boolean {
  return succeeds(() => writeFileSync(starting, lockLine(pid), { flag, mode: 0o600 }));
}

/** Removes the mark that a worker is starting. Leaves a folder with the mark's name, which `doctor` reports. */
export function removeMark({ starting }: Pick<Paths, "starting">): void {
  quietly(() => unlinkSync(starting)); // there may be none
}

/** Returns a text that identifies the running program's build, and changes when an upgrade replaces the program. */
export function programIdentity(): string {
  return fileVersion(process.argv[1] ?? "");
}
