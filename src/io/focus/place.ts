import { findProcess } from "../../files/process-table.ts";
import type { Question } from "../presence/question.ts";

/** Terminal to focus, with the means to query its surroundings. The environment is that of the program in it. */
export type Place = Pick<Question, "seat" | "env" | "run" | "signal">;

/**
 * Lists the processes that may own the terminal's window: its holder, then ancestors of the same name, for editors with
 * a separate terminal process. Empty if the agent has exited.
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
