import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../core/errors.ts";

/** The name a running worker goes by in the process table; Linux keeps 15 bytes of it. */
export const workerTitle = "beckon-worker";

/** Fewer events waiting to be claimed say nothing about the worker. */
const backlog = 16;

/** The process number in a worker's lock, if that process is alive and, where it can be told, a worker. */
export function livingWorker(lock: string): number | undefined {
  const holder = processIn(lock);
  return holder && (holder.name === undefined || holder.name === workerTitle) ? holder.pid : undefined;
}

/**
 * Starts a worker unless one runs already and keeps up, or is starting. The worker gets a session of its own and none of
 * our streams. To be called once the event is visible: a worker that starts looks after that.
 * @param worker absolute path of the compiled worker
 */
export async function wake(root: string, worker: string): Promise<void> {
  const spool = join(root, "spool");
  const starting = join(spool, "worker.starting");
  if (processIn(starting) || (livingWorker(join(spool, "worker.lock")) && !hangs(spool))) return;
  if (!existsSync(worker)) return; // the event waits for the next hook; `doctor` tells
  const { NODE_OPTIONS: _, ...env } = process.env;
  const { spawn } = await import("node:child_process"); // 3 ms that a hook saves while a worker lives
  const child = spawn(process.execPath, [worker], {
    cwd: root,
    detached: true,
    env: { ...env, BECKON_HOME: root },
    stdio: "ignore",
    windowsHide: true,
  });
  child.on("error", () => {}); // no process to be had: the event waits for the next hook
  child.unref();
  if (child.pid !== undefined) writeFileSync(starting, `${child.pid}\n`, { mode: 0o600 });
}

/** A worker touches its lock every second: of many events that wait, one is older than that unless the worker hangs. */
function hangs(spool: string): boolean {
  const waiting = readdirSync(join(spool, "new"));
  if (waiting.length < backlog) return false;
  const beatAtMs = modifiedAtMs(join(spool, "worker.lock"));
  return waiting.every((file) => modifiedAtMs(join(spool, "new", file)) >= beatAtMs);
}

function modifiedAtMs(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
}

/** The living process whose number a file begins with. Its name is known on Linux only. */
function processIn(file: string): { readonly pid: number; readonly name?: string } | undefined {
  const pid = Number.parseInt(readText(file) ?? "", 10);
  if (!(pid > 0)) return undefined;
  if (process.platform !== "linux") return isAlive(pid) ? { pid } : undefined;
  // `123 (name) S …`; Z is dead and not yet buried, for good where nobody buries.
  const [, name, state] = /^\d+ \((.*)\) (\S)/.exec(readText(`/proc/${pid}/stat`) ?? "") ?? [];
  return name === undefined || state === "Z" ? undefined : { pid, name };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errnoOf(error) === "EPERM";
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined; // gone, or another user's: then nobody we know of
  }
}
