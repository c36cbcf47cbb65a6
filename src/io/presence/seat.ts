import { checkedEnvironment, type TerminalEnvironment, terminalVariables } from "../../core/terminal-environment.ts";
import { findProcess, type RunningProcess } from "../../files/process-table.ts";
import { listQuietly, readQuietly } from "../../files/read-file.ts";
import { environmentOf, lastTerminalOf, terminalOf } from "../process-terminal.ts";

/** A terminal that a program of this user's runs in, and what holds it. */
export interface Seat {
  /** The program's process. */
  readonly pid: number;
  /** Path of the pseudo-terminal. */
  readonly device: string;
  /**
   * The process that holds its other end: a terminal emulator, a multiplexer, sshd. Not just any ancestor: a terminal
   * started in another terminal is not that one.
   */
  readonly holder?: RunningProcess;
  /** Environment of the program. */
  readonly env: TerminalEnvironment;
}

/** The terminal of the last of these processes that runs, is this user's and has one. Linux only. */
export function seatOf(processes: readonly number[]): Seat | undefined {
  const found = lastTerminalOf(processes);
  const program = found && findProcess(found.pid);
  if (!found || !program) return undefined;
  const holder = holderOf(program);
  const env = checkedEnvironment(environmentOf(found.pid, terminalVariables), terminalVariables);
  return { ...found, env, ...(holder && { holder }) };
}

/** The nearest ancestor that does not run in the terminal itself. */
function holderOf({ parentPid, terminalDevice }: RunningProcess): RunningProcess | undefined {
  const parent = parentPid === undefined || parentPid <= 1 ? undefined : findProcess(parentPid);
  return parent?.terminalDevice === terminalDevice && parent ? holderOf(parent) : parent;
}

/**
 * What else the holder of a terminal holds: for each of its other terminals the WINDOWID of the program in it,
 * undefined where that is not known. They may be tabs or panes of the same window. Undefined if it cannot be found out.
 */
export function neighborsOf({ device, holder }: Seat): readonly (string | undefined)[] | undefined {
  const children = holder && childrenOf(holder.pid).flatMap((pid) => findProcess(pid) ?? []);
  const held = children?.filter(
    ({ terminalDevice }) => terminalDevice !== 0 && terminalDevice !== holder?.terminalDevice,
  );
  // Without itself the list is none: not every kernel has it.
  if (!held?.some(({ pid }) => terminalOf(pid) === device)) return undefined;
  return held
    .filter(({ pid }) => terminalOf(pid) !== device)
    .map(({ pid }) => environmentOf(pid, ["WINDOWID"]).WINDOWID);
}

function childrenOf(pid: number): number[] {
  const threads = listQuietly(`/proc/${pid}/task`);
  const lists = threads.map((thread) => readQuietly(`/proc/${pid}/task/${thread}/children`) ?? "");
  return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}
