import { checkedEnvironment, type TerminalEnvironment, terminalVariables } from "../../core/terminal-environment.ts";
import { findProcess, type RunningProcess } from "../../files/process-table.ts";
import { listQuietly, readQuietly } from "../../files/read-file.ts";
import { environmentOf, lastTerminalOf, terminalOf } from "../process-terminal.ts";

/** Terminal in which a program of this user runs, and its holder. */
export interface Seat {
  /** Process of the program. */
  readonly pid: number;
  /** Path of the pseudo-terminal. */
  readonly device: string;
  /**
   * Process at the other end: a terminal emulator, a multiplexer, sshd. Not just any ancestor, because terminals can be
   * started from terminals.
   */
  readonly holder?: RunningProcess;
  /** Environment of the program. */
  readonly env: TerminalEnvironment;
}

/** Finds the terminal of the last of these processes that runs for this user and has one. Linux only. */
export function seatOf(processes: readonly number[]): Seat | undefined {
  const found = lastTerminalOf(processes);
  const program = found && findProcess(found.pid);
  if (!found || !program) return undefined;
  const holder = holderOf(program);
  const env = checkedEnvironment(environmentOf(found.pid, terminalVariables), terminalVariables);
  return { ...found, env, ...(holder && { holder }) };
}

/** Finds the nearest ancestor outside the terminal. */
function holderOf({ parentPid, terminalDevice }: RunningProcess): RunningProcess | undefined {
  const parent = parentPid === undefined || parentPid <= 1 ? undefined : findProcess(parentPid);
  return parent?.terminalDevice === terminalDevice && parent ? holderOf(parent) : parent;
}

/**
 * Lists the other terminals of a terminal's holder, which may be tabs or panes of the same window, by the WINDOWID of
 * their programs, undefined for an unknown one. Undefined if they cannot be listed.
 */
export function neighborsOf({ device, holder }: Seat): readonly (string | undefined)[] | undefined {
  const children = holder && childrenOf(holder.pid).flatMap((pid) => findProcess(pid) ?? []);
  const held = children?.filter(
    ({ terminalDevice }) => terminalDevice !== 0 && terminalDevice !== holder?.terminalDevice,
  );
  // A list without the process itself is invalid: not every kernel provides it.
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
