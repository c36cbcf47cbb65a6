import { readQuietly } from "../src/files/read-file.ts";

/** Ticks of /proc/PID/stat, of which Linux has a hundred a second. */
const tickMs = 10;

/** Processor time of a process so far, milliseconds; 0 for one that has ended. proc(5), `utime` and `stime` */
export function processorMs(pid: number | undefined): number {
  const [user, system] = statFields(pid).slice(11, 13);
  return (Number(user ?? 0) + Number(system ?? 0)) * tickMs;
}

/** What a process has in memory now, and at most so far, MB. */
export const residentMb = (pid: number | undefined): number => memoryMb(pid, "VmRSS");
export const peakMb = (pid: number | undefined): number => memoryMb(pid, "VmHWM");

function memoryMb(pid: number | undefined, name: string): number {
  const [, kilobytes] = new RegExp(`${name}:\\s+(\\d+)`).exec(readQuietly(`/proc/${pid}/status`) ?? "") ?? [];
  return Number(kilobytes) / 1024;
}

/** The fields of /proc/PID/stat behind the name, which may hold spaces. */
function statFields(pid: number | undefined): string[] {
  return (readQuietly(`/proc/${pid}/stat`) ?? "").replace(/^.*\) /, "").split(" ");
}
