import { statSync } from "node:fs";
import { quietly } from "../core/quietly.ts";
import { findProcess, pseudoTerminal } from "../files/process-table.ts";
import { listQuietly, readQuietly } from "../files/read-file.ts";

/**
 * Returns the path of a process's pseudo-terminal. Undefined if the process has none, or if the process or its
 * pseudo-terminal belongs to another user. Linux only.
 */
export function findTerminal(pid: number): string | undefined {
  // An error means that the process has exited or belongs to another user.
  return quietly(() => {
    const device = pseudoTerminal(findProcess(pid)?.terminalDevice ?? 0);
    if (device === undefined) return undefined;
    const { uid } = statSync(`/proc/${pid}`);
    const found = statSync(device);
    return uid === process.getuid?.() && found.uid === uid && found.isCharacterDevice() ? device : undefined;
  });
}

/**
 * Finds the last process in a list that has a terminal, with the path of its pseudo-terminal.
 * @param processes process ids from the hook up to the agent
 */
export function findLastTerminal(processes: readonly number[]) {
  for (const pid of processes.toReversed()) {
    const device = findTerminal(pid);
    if (device !== undefined) return { pid, device };
  }
  return undefined;
}

/** Lists this user's processes with one of these names that are in a terminal. */
export function findInTerminals(names: readonly string[]): readonly number[] {
  const pids = listQuietly("/proc").filter((name) => /^\d+$/.test(name));
  const named = pids.map(Number).filter((pid) => names.includes(findProcess(pid)?.name ?? ""));
  return named.filter((pid) => findTerminal(pid) !== undefined);
}

/**
 * Reads variables from the environment with which a process was started. Empty if the process has exited, is hidden or
 * belongs to another user. Linux only.
 */
export function readEnvironment<Name extends string>(
  pid: number,
  names: readonly Name[],
): Readonly<Partial<Record<Name, string>>> {
  const text = readQuietly(`/proc/${pid}/environ`) ?? "";
  const entries = text.split("\0").map((line) => [line.split("=", 1)[0] ?? "", line.slice(line.indexOf("=") + 1)]);
  return Object.fromEntries(entries.filter(([name]) => names.some((wanted) => wanted === name)));
}
