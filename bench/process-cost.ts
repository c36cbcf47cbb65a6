import { readQuietly } from "../src/files/read-file.ts";

/** Length of a tick in /proc/PID/stat; Linux has a hundred a second. */
const tickMs = 10;

/**
 * Reads the processor time of a process so far, milliseconds; 0 if the process has ended. See `utime` and `stime` in
 * proc(5).
 */
export function processorMs(pid: number | undefined): number {
  const [user, system] = statFields(pid).slice(11, 13);
  return (Number(user ?? 0) + Number(system ?? 0)) * tickMs;
}

/** Reads the resident memory of a process, MB. */
export const residentMb = (pid: number | undefined): number => memoryMb(pid, "VmRSS");
export const peakMb = (pid: number | undefined): number => memoryMb(pid, "VmHWM");

function memoryMb(pid: number | undefined, name: string): number {
  const [, kilobytes] = new RegExp(`${name}:\\s+(\\d+)`).exec(readQuietly(`/proc/${pid}/status`) ?? "") ?? [];
  return Number(kilobytes) / 1024;
}

/** Reads the fields of /proc/PID/stat after the name, which may contain spaces. */
function statFields(pid: number | undefined): string[] {
  return (readQuietly(`/proc/${pid}/stat`) ?? "").replace(/^.*\) /, "").split(" ");
}
