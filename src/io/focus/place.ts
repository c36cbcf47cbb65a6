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
  for (let one = seat?.holder; one && one.name === seat?.holder?.name; one = parentOf(one.parentPid))
    pids.push(one.pid);
  return pids;
}

function parentOf(pid = 0) {
  return pid > 1 ? findProcess(pid) : undefined;
}
