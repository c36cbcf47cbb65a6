import { statSync } from "node:fs";
import { findProcess } from "../files/process-table.ts";
import { readQuietly } from "../files/read-file.ts";

/** Major numbers of Linux' pseudo-terminals, https://www.kernel.org/doc/html/latest/admin-guide/devices.html */
const firstPtyMajor = 136;
const lastPtyMajor = 143;

/** Path of the pseudo-terminal of a process, if both are this user's; undefined otherwise, and off Linux. */
export function terminalOf(pid: number): string | undefined {
  try {
    const number = findProcess(pid)?.terminalDevice ?? 0;
    const major = (number >> 8) & 0xfff;
    const minor = (number & 0xff) | ((number >>> 12) & 0xfff00);
    if (major < firstPtyMajor || major > lastPtyMajor) return undefined;
    const device = `/dev/pts/${(major - firstPtyMajor) * 256 + minor}`;
    const { uid } = statSync(`/proc/${pid}`);
    const found = statSync(device);
    return uid === process.getuid?.() && found.uid === uid && found.isCharacterDevice() ? device : undefined;
  } catch {
    return undefined; // the process is gone, or another user's
  }
}

/** A process and its pseudo-terminal. */
export interface ProcessTerminal {
  readonly pid: number;
  readonly device: string;
}

/** The terminal of the last of these processes, from the hook up to the agent, that `terminalOf` knows one of. */
export function lastTerminalOf(processes: readonly number[]): ProcessTerminal | undefined {
  for (const pid of processes.toReversed()) {
    const device = terminalOf(pid);
    if (device !== undefined) return { pid, device };
  }
  return undefined;
}

/**
 * Those of the named variables that a process was started with. Nothing of a process that is gone, hidden or another
 * user's, and off Linux.
 */
export function environmentOf<Name extends string>(
  pid: number,
  names: readonly Name[],
): Readonly<Partial<Record<Name, string>>> {
  const text = readQuietly(`/proc/${pid}/environ`) ?? "";
  const entries = text.split("\0").map((line) => [line.split("=", 1)[0] ?? "", line.slice(line.indexOf("=") + 1)]);
  return Object.fromEntries(entries.filter(([name]) => names.some((one) => one === name)));
}
