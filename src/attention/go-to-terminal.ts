import { hostname } from "node:os";
import type { FocusResult, FocusStep, Ports } from "../core/ports.ts";
import { findProcess } from "../files/process-table.ts";
import type { Alert } from "./alert.ts";

/** Brings a session's terminal to the front. Never throws; the result lists the steps that failed. */
export async function goToTerminal(
  { host, isRelayed, processes = [], agentStartTicks, terminal }: Alert,
  { focus }: Pick<Ports, "focus">,
): Promise<FocusResult> {
  const here = hostname().split(".")[0];
  if (isRelayed || (host !== undefined && host !== here)) {
    return { isInFront: false, steps: [{ target: "the terminal", obstacle: `it is on another machine, ${host}` }] };
  }
  const agentProcess = findProcess(processes.at(-1) ?? 0);
  // By now, another process may have the same id.
  const isAgent = agentStartTicks === undefined || agentProcess?.startTicks === agentStartTicks;
  return focus.focus(isAgent ? processes : [], terminal);
}

/** Describes steps for people: `the window is focused; tmux's pane cannot be focused: the pane is closed`. */
export function describeFocus(steps: readonly FocusStep[]): string {
  return steps
    .map(({ target, obstacle }) => {
      return obstacle === undefined ? `${target} is focused` : `${target} cannot be focused: ${obstacle}`;
    })
    .join("; ");
}
