import { findProcess } from "../../files/process-table.ts";
import type { Question } from "../presence/question.ts";

/** A terminal to go to, and what the way there is asked with: the environment is that of the program in it. */
export type Place = Pick<Question, "seat" | "env" | "run" | "signal">;

/**
 * Processes of which one made the terminal's window: what holds the terminal, then its ancestors of the same name, for
 * editors that hold their terminals in a process of its own. Empty where the agent has ended.
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
