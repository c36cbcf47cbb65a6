import { lstatSync, readFileSync, unlinkSync } from "node:fs";
import { hostname } from "node:os";
import { quietly } from "../core/quietly.ts";
import { findProcess } from "./process-table.ts";
import { readQuietly } from "./read-file.ts";

/** Duration of a promise, in seconds. */
const promiseSeconds = 4;

/**
 * Returns the seconds since boot from `/proc/uptime`, which the launcher reads too. This clock cannot be set, and goes
 * on while the machine sleeps. Systems without that file use Unix seconds.
 */
export function bootSeconds(): number {
  const uptime = quietly(() => readFileSync("/proc/uptime", "latin1"));
  return Math.floor(uptime === undefined ? Date.now() / 1000 : Number.parseFloat(uptime));
}

/**
 * Builds a lock file's line, with which its holder promises to be awake for the next four seconds. All lines of a process
 * have the same length.
 */
export function lockLine(pid: number): string {
  return `${pid} ${String(bootSeconds() + promiseSeconds).padStart(10)} ${hostname()}\n`;
}

/** Maximum size of a lock file: two numbers and a host's name. */
const maxLockBytes = 512;

/** Removes a lock file that is too large, and so broken: each hook would read it to the end. Returns true if it did. */
export function removeBrokenLock(file: string): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  const isBroken = stats?.isFile() === true && stats.size > maxLockBytes;
  if (isBroken) unlinkSync(file);
  return isBroken;
}

/** Reads the beginning of a lock file; undefined if it is missing or not a regular file. */
export function readLock(file: string): string | undefined {
  return readQuietly(file, "utf8", maxLockBytes);
}

/**
 * Reads a lock file's line: process id, second on the clock of `bootSeconds`, host, as in `4711 81234 devbox`. The holder
 * promises to be awake until that second, and renews the promise every second. `hooks/hook.sh` also reads and writes such
 * lines, without the host. Undefined if the file is missing, not a regular file, or malformed.
 */
export function readLockLine(file: string) {
  const [, pid, until, host] = /^([1-9]\d{0,9}) +([1-9]\d{0,9}) (\S+)\n$/.exec(readLock(file) ?? "") ?? [];
  if (host === undefined) return undefined;
  return { pid: Number(pid), untilSeconds: Number(until), ...(host !== "." && { host }) };
}

/** Tells if a lock's holder is running, as far as this host can tell, and its promise has not run out. */
export function isAwake(file: string): boolean {
  const line = readLockLine(file);
  const aheadSeconds = line ? line.untilSeconds - bootSeconds() : 0;
  return (
    line !== undefined && aheadSeconds > 0 && aheadSeconds <= promiseSeconds && findProcess(line.pid) !== undefined
  );
}
