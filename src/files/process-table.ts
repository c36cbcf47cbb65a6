import { existsSync } from "node:fs";
import { readErrno } from "../core/errors.ts";
import { readQuietly } from "./read-file.ts";

/** Running process. The optional fields are known on Linux only. */
export interface RunningProcess {
  readonly pid: number;
  /** Name of the process: 15 bytes at most, read as Latin-1. */
  readonly name?: string;
  /** Number of the process that started or adopted this process. */
  readonly parentPid?: number;
  /** Number of the process that leads this process's session. */
  readonly sessionPid?: number;
  /** Device number of the process's controlling terminal; 0 if it has none. */
  readonly terminalDevice?: number;
  /** Start time in clock ticks since boot, which differs for a later process with the same number. */
  readonly startTicks?: string;
}

/**
 * Finds the running process with a number, or undefined. Ignores zombies, and processes hidden from this user. Without
 * `/proc` (macOS, Windows), the result has no more than the number.
 */
export function findProcess(pid: number): RunningProcess | undefined {
  const stat = process.platform === "linux" ? readQuietly(`/proc/${pid}/stat`, "latin1") : undefined;
  if (stat !== undefined) {
    const { state, ...found } = parseStat(stat);
    return state === "Z" ? undefined : { pid, ...found };
  }
  return !hasProc() && isAlive(pid) ? { pid } : undefined;
}

/**
 * First of the eight device numbers (major) that Linux uses for pseudo-terminals, each for 256 of them:
 * https://www.kernel.org/doc/html/latest/admin-guide/devices.html
 */
const [firstPtsMajor, ptsPerMajor] = [136, 256];

/** Returns the path of a pseudo-terminal by its device number; undefined for any other device. */
export function pseudoTerminal(device: number): string | undefined {
  const [major, minor] = [(device >> 8) & 0xfff, (device & 0xff) | ((device >>> 12) & 0xfff00)];
  if (major < firstPtsMajor || major >= firstPtsMajor + 8) return undefined;
  return `/dev/pts/${(major - firstPtsMajor) * ptsPerMajor + minor}`;
}

/** True if a terminal still exists, by its device number. A pseudo-terminal is gone once its window is closed. */
export function existsTerminal(device: number): boolean {
  const path = pseudoTerminal(device);
  return path === undefined || existsSync(path);
}

const ticksPerSecond = 100;

/** Returns when a process started, Unix milliseconds; not a number if that is unknown. proc(5) */
export function startTimeMs({ startTicks }: RunningProcess): number {
  const uptimeSeconds = Number.parseFloat(readQuietly("/proc/uptime") ?? "");
  return Date.now() - (uptimeSeconds - Number(startTicks) / ticksPerSecond) * 1000;
}

/** Tells if a process is stopped, as by Ctrl-Z. False on other platforms than Linux. */
export function isStopped(pid: number): boolean {
  const stat = process.platform === "linux" ? readQuietly(`/proc/${pid}/stat`, "latin1") : undefined;
  return stat !== undefined && parseStat(stat).state === "T";
}

/** Process that called this one: its id and its name. The name is empty if it has special characters. */
export type Caller = readonly [pid: number, name: string];

const maxCallers = 8;

/** Finds the processes that called this process: up to eight on Linux, only the parent's id on other platforms. */
export function findCallers(): { readonly processes?: readonly number[]; readonly callers?: readonly Caller[] } {
  const callers: Caller[] = [];
  for (let pid = process.ppid; callers.length < maxCallers; ) {
    const found = findProcess(pid);
    if (found?.parentPid === undefined) break;
    callers.push([pid, /^[\w.:+-]+$/.test(found.name ?? "") ? (found.name ?? "") : ""]);
    pid = found.parentPid;
  }
  return callers.length > 0 ? { callers } : { processes: [process.ppid] };
}

/** Tells if the system lists processes in `/proc`, as Linux does if `/proc` is mounted. */
export function hasProc(): boolean {
  return process.platform === "linux" && existsSync("/proc/self/stat");
}

/**
 * Parses the text of a `/proc/PID/stat`, `123 (name) S 1 …`. The name may contain spaces and parentheses, so the fields
 * start after the last `)`. Fields: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
export function parseStat(text: string) {
  const nameEnd = text.lastIndexOf(")");
  const fields = text.slice(nameEnd + 2).split(" ", 20);
  return {
    name: text.slice(text.indexOf("(") + 1, nameEnd),
    state: fields[0] ?? "",
    parentPid: Number(fields[1]),
    sessionPid: Number(fields[3]),
    terminalDevice: Number(fields[4]),
    startTicks: fields[19] ?? "",
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return readErrno(error) === "EPERM"; // alive, but another user's
  }
}
