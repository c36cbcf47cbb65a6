import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { findProcess } from "./process-table.ts";
import { readQuietly } from "./read-file.ts";

/**
 * The line in a lock: `4711      81234 devbox`. The holder promises to be awake until that second, and renews the
 * promise every second, so a reader needs neither the file's time nor the name of the process. `hooks/hook.sh` reads and
 * writes it too.
 */
export interface LockLine {
  readonly pid: number;
  /** Seconds on the clock of `bootSeconds`. */
  readonly untilSeconds: number;
  /** Name of the host; undefined in a line of the launcher's. */
  readonly host?: string;
}

/** Seconds from the making of a promise to its end. */
const promisedSeconds = 4;

/**
 * Reads a clock that nobody sets and that goes on while the machine sleeps, in whole seconds; on a system without
 * `/proc/uptime`, which sh can read, Unix seconds.
 */
export function bootSeconds(): number {
  try {
    return Math.floor(Number.parseFloat(readFileSync("/proc/uptime", "latin1")));
  } catch {
    return Math.floor(Date.now() / 1000); // macOS, Windows
  }
}

/** The line of a process that promises now to be awake. Its length is the same whenever a process makes it. */
export function lockLine(pid: number): string {
  return `${pid} ${String(bootSeconds() + promisedSeconds).padStart(10)} ${hostname()}\n`;
}

/** Reads a lock; undefined if it is missing, is no regular file, or holds anything else. */
export function readLockLine(file: string): LockLine | undefined {
  const [, pid, until, host] = /^([1-9]\d{0,9}) +([1-9]\d{0,9}) (\S+)\n$/.exec(readQuietly(file) ?? "") ?? [];
  if (host === undefined) return undefined;
  return { pid: Number(pid), untilSeconds: Number(until), ...(host !== "." && { host }) };
}

/** Returns true if a lock's holder runs, as far as this host can tell, and its promise holds. */
export function isAwake(file: string): boolean {
  const line = readLockLine(file);
  const aheadSeconds = line ? line.untilSeconds - bootSeconds() : 0;
  return (
    line !== undefined && aheadSeconds > 0 && aheadSeconds <= promisedSeconds && findProcess(line.pid) !== undefined
  );
}
