import { findProcess } from "../../files/process-table.ts";
import type { Question } from "../presence/question.ts";

/** Terminal to focus, with the environment of the program that runs in it, and a function that runs other programs. */
export type Place = Pick<Question, "seat" | "env" | "run" | "signal">;

/**
 * Lists the processes that may own the terminal's window: the process that holds the terminal, then its ancestors with
 * the same name, because some editors have a separate process for terminals. Empty if the agent has exited.
 */
export function windowProcesses({ seat }: Place): readonly number[] {
  const pids: number[] = [];
  for (
    let ancestor = seat?.holder;
    ancestor && ancestor.name === seat?.holder?.name;
    ancestor = readParent(ancestor.parentPid)
  )
    pids.push(ancestor.pid);
  return pids;
}

function readParent(pid = 0) {
  return pid > 1 ? findProcess(pid) : undefined;
}
