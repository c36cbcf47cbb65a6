import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { quietly } from "../core/quietly.ts";
import { findProcess } from "./process-table.ts";
import { readQuietly } from "./read-file.ts";

/**
 * Line in a lock: `4711 81234 devbox`. The holder promises to be awake until that second and renews the promise every
 * second, so readers need neither the file's time nor the process's name. `hooks/hook.sh` also reads and writes it.
 */
export interface LockLine {
  readonly pid: number;
  /** Seconds on the clock of `bootSeconds`. */
  readonly untilSeconds: number;
  /** Name of the host; undefined in a line from the launcher. */
  readonly host?: string;
}

/** Duration of a promise, seconds. */
const promiseSeconds = 4;

/**
 * Reads the boot clock in whole seconds. It cannot be set, and runs on while the machine sleeps. Unix seconds on
 * systems without `/proc/uptime`, which sh can read.
 */
export function bootSeconds(): number {
  const uptime = quietly(() => readFileSync("/proc/uptime", "latin1"));
  return Math.floor(uptime === undefined ? Date.now() / 1000 : Number.parseFloat(uptime));
}

/** Builds the line for a promise made now. All lines of a process have the same length. */
export function lockLine(pid: number): string {
  return `${pid} ${String(bootSeconds() + promiseSeconds).padStart(10)} ${hostname()}\n`;
}

/** Reads a lock; undefined if it is missing, not a regular file, or malformed. */
export function readLockLine(file: string): LockLine | undefined {
  const [, pid, until, host] = /^([1-9]\d{0,9}) +([1-9]\d{0,9}) (\S+)\n$/.exec(readQuietly(file) ?? "") ?? [];
  if (host === undefined) return undefined;
  return { pid: Number(pid), untilSeconds: Number(until), ...(host !== "." && { host }) };
}

/** True if a lock's holder runs, as far as this host can tell, and its promise holds. */
export function isAwake(file: string): boolean {
  const line = readLockLine(file);
  const aheadSeconds = line ? line.untilSeconds - bootSeconds() : 0;
  return (
    line !== undefined && aheadSeconds > 0 && aheadSeconds <= promiseSeconds && findProcess(line.pid) !== undefined
  );
}
