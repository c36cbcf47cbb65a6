import { hostname } from "node:os";
import type { FocusResult, FocusStep, Ports } from "../core/ports.ts";
import { checkedEnvironment, desktopVariables } from "../core/terminal-environment.ts";
import { findProcess } from "../files/process-table.ts";
import type { Alert } from "./alert.ts";

/**
 * Tells if a session may have a window on this machine that can be brought to the front. Asks no program, so the window
 * may be closed.
 */
export function mayHaveWindow(
  { terminal, terminalDevice, ...place }: Alert,
  { env, platform }: Pick<NodeJS.Process, "env" | "platform"> = process,
): boolean {
  if (isElsewhere(place) || platform === "win32") return false;
  if (platform !== "linux") return true;
  const known = { ...checkedEnvironment(env, desktopVariables), ...terminal };
  const { TMUX, ZELLIJ_SESSION_NAME, SSH_TTY, DISPLAY, WAYLAND_DISPLAY } = known;
  const desktop = SSH_TTY === undefined ? (DISPLAY ?? WAYLAND_DISPLAY) : undefined;
  return terminalDevice !== undefined && (TMUX ?? ZELLIJ_SESSION_NAME ?? desktop) !== undefined;
}

function isElsewhere({ host, isRelayed }: Pick<Alert, "host" | "isRelayed">): boolean {
  return isRelayed === true || (host !== undefined && host !== hostname().split(".")[0]);
}

/** Brings a session's terminal to the front. Never throws; the result lists the steps that failed. */
export async function goToTerminal(
  { processes = [], agentStartTicks, terminal, ...place }: Alert,
  { focus }: Pick<Ports, "focus">,
): Promise<FocusResult> {
  if (isElsewhere(place)) {
    const obstacle = `it is on another machine, ${place.host}`;
    return { isInFront: false, steps: [{ target: "the terminal", obstacle }] };
  }
  const agentProcess = findProcess(processes.at(-1) ?? 0);
  // By now, another process may have the same id.
  const isAgent = agentStartTicks === undefined || agentProcess?.startTicks === agentStartTicks;
  return focus.focus(isAgent ? processes : [], terminal);
}

/** Describes steps for people: `the window is focused; tmux's pane cannot be focused: the pane is closed`. */
export function describeFocus(steps: readonly FocusStep[]): string {
  const results = steps.map(({ target, obstacle }) =>
    obstacle === undefined ? `${target} is focused` : `${target} cannot be focused: ${obstacle}`,
  );
  return results.join("; ");
}
