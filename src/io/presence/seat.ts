import { checkedEnvironment, type TerminalEnvironment, terminalVariables } from "../../core/terminal-environment.ts";
import { findProcess, type RunningProcess } from "../../files/process-table.ts";
import { listQuietly, readQuietly } from "../../files/read-file.ts";
import { findLastTerminal, findTerminal, readEnvironment } from "../process-terminal.ts";

/** Terminal in which a program of this user runs, with the process that holds the terminal. */
export interface Seat {
  /** Process id of the program. */
  readonly pid: number;
  /** Path of the pseudo-terminal. */
  readonly device: string;
  /**
   * Process at the other end of the pseudo-terminal: a terminal emulator, a multiplexer or sshd. It may itself have
   * been started from another terminal.
   */
  readonly holder?: RunningProcess;
  /** Environment of the program. */
  readonly env: TerminalEnvironment;
}

/** Returns the terminal of the last of these processes that has a terminal of this user. Linux only. */
export function findSeat(processes: readonly number[]): Seat | undefined {
  const found = findLastTerminal(processes);
  const program = found && findProcess(found.pid);
  if (!found || !program) return undefined;
  const holder = findHolder(program);
  const env = checkedEnvironment(readEnvironment(found.pid, terminalVariables), terminalVariables);
  return { ...found, env, ...(holder && { holder }) };
}

/** Finds a program's nearest ancestor that runs outside the program's terminal. */
function findHolder({ parentPid, terminalDevice }: RunningProcess): RunningProcess | undefined {
  const parent = parentPid === undefined || parentPid <= 1 ? undefined : findProcess(parentPid);
  return parent?.terminalDevice === terminalDevice && parent ? findHolder(parent) : parent;
}

/**
 * Lists the other terminals of the process that holds this terminal. They may be tabs or panes in the same window.
 * Returns the WINDOWID of the program in each terminal, or undefined for an unknown one. Returns undefined if the
 * terminals cannot be listed.
 */
export function listNeighbors({ device, holder }: Seat): readonly (string | undefined)[] | undefined {
  const children = holder && listChildren(holder.pid).flatMap((pid) => findProcess(pid) ?? []);
  const held = children?.filter(
    ({ terminalDevice }) => terminalDevice !== 0 && terminalDevice !== holder?.terminalDevice,
  );
  // Not every kernel lists child processes. A list without this terminal's own process is invalid.
  if (!held?.some(({ pid }) => findTerminal(pid) === device)) return undefined;
  return held
    .filter(({ pid }) => findTerminal(pid) !== device)
    .map(({ pid }) => readEnvironment(pid, ["WINDOWID"]).WINDOWID);
}

function listChildren(pid: number): number[] {
  const threads = listQuietly(`/proc/${pid}/task`);
  const lists = threads.map((thread) => readQuietly(`/proc/${pid}/task/${thread}/children`) ?? "");
  return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}
