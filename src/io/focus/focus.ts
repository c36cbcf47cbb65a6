import { setMaxListeners } from "node:events";
import type { ExecPort, FocusPort, FocusResult, FocusStep } from "../../core/ports.ts";
import {
  checkedEnvironment,
  desktopVariables,
  recordedTerminal,
  type TerminalEnvironment,
} from "../../core/terminal-environment.ts";
import { createPrograms, findSeat } from "../presence/question.ts";
import { focusOnMac } from "./macos.ts";
import type { Place } from "./place.ts";
import { programs } from "./terminal-programs.ts";
import { findTmuxPane, isInTmux } from "./tmux.ts";
import { raiseWindow } from "./window.ts";

/** Dependencies of the focus port. By default, those of this machine. */
export interface FocusOptions {
  /** Environment from which desktop variables are taken that the agent's environment lacks. */
  readonly env?: NodeJS.ProcessEnv;
  readonly platform?: NodeJS.Platform;
}

/** Longest time for focusing a terminal, milliseconds. Each program that is run has a shorter limit. */
const limitMs = 5_000;
const programTimeoutMs = 3_000;
/** Maximum depth of nested terminals, such as tmux in tmux in a window. */
const maxDepth = 3;

/** Creates the port that brings a terminal on this machine to the front. Windows does not allow that. */
export function createFocus(exec: ExecPort, options: FocusOptions = {}): FocusPort {
  const { env = process.env, platform = process.platform } = options;
  const runners = createPrograms(exec);
  return {
    async focus(processes, terminal, signal) {
      const limit = AbortSignal.any([AbortSignal.timeout(limitMs), ...(signal ? [signal] : [])]);
      setMaxListeners(0, limit); // one listener for each socket and program
      const runner = runners(programTimeoutMs, limit);
      const run: Place["run"] = (...program) => runner(...program).catch(() => undefined); // undefined means failure
      const desktop = checkedEnvironment(env, desktopVariables);
      const recorded = recordedTerminal(terminal ?? {});
      try {
        return buildResult(await focusTarget({ processes, desktop, recorded, platform }, { run, signal: limit }));
      } catch {
        return buildResult([{ target: "the terminal", obstacle: "a program that could focus it failed" }]);
      }
    },
  };
}

interface FocusTarget {
  readonly processes: readonly number[];
  readonly desktop: TerminalEnvironment;
  readonly recorded: TerminalEnvironment | undefined;
  readonly platform: NodeJS.Platform;
}

function focusTarget({ processes, desktop, recorded, platform }: FocusTarget, ask: Pick<Place, "run" | "signal">) {
  if (platform === "darwin") return focusOnMac(processes, recorded ?? {}, ask.run);
  const obstacle =
    platform === "win32" ? "Windows does not allow programs to do that" : "its location was not recorded";
  const seat = platform === "win32" ? undefined : findSeat(processes);
  if (!seat && (!recorded || platform === "win32")) return [{ target: "the terminal", obstacle }];
  return focusPlace({ ...ask, ...(seat && { seat }), env: { ...desktop, ...recorded, ...seat?.env } });
}

/** Focuses a terminal: first its window, then its tab or pane. */
async function focusPlace(place: Place, depth = 0): Promise<FocusStep[]> {
  if (isInTmux(place) && depth < maxDepth) return focusTmux(place, depth);
  const program = programs.find(({ shows }) => shows(place));
  const { seat: _, ...elsewhere } = place;
  const outer = await raiseWindow(program?.holdsNoWindow ? elsewhere : place);
  if (!program) return outer;
  // `choose` also switches to the tab, so keep only the step for the window.
  return [...outer.slice(0, 1), await program.choose(place)];
}

/** Focuses the terminal in which a tmux client shows the pane's session, then selects the pane in tmux. */
async function focusTmux(place: Place, depth: number): Promise<FocusStep[]> {
  const paneTarget = await findTmuxPane(place);
  if ("target" in paneTarget) return [paneTarget];
  const seat = findSeat([paneTarget.clientPid]);
  const { run, signal, env } = place;
  const desktop = checkedEnvironment(env, desktopVariables);
  const outer = await focusPlace({ run, signal, ...(seat && { seat }), env: { ...desktop, ...seat?.env } }, depth + 1);
  return [...outer, await paneTarget.choose()];
}

function buildResult(steps: readonly FocusStep[]): FocusResult {
  return { isInFront: steps.every(({ obstacle }) => obstacle === undefined), steps };
}
