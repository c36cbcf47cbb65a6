import type { TerminalEnvironment } from "./terminal-environment.ts";

/** One step of bringing a terminal to the front: first the desktop window, then tabs and panes in the window. */
export interface FocusStep {
  /** Name of the step's target, as shown to the user: `the window`, `tmux's pane`, `kitty's window`. */
  readonly target: string;
  /** Reason why the step failed, as a clause to print after a colon; absent if the step succeeded. */
  readonly obstacle?: string;
}

/** Result of focusing a terminal. */
export interface FocusResult {
  /** True if every step succeeded, so that the user sees the terminal. */
  readonly isInFront: boolean;
  /** Steps from the outermost to the innermost; at least one. */
  readonly steps: readonly FocusStep[];
}

/** Port that brings terminals on this machine to the front. */
export interface FocusPort {
  /**
   * Brings an agent's terminal to the front: its window, tab and pane, as far as the desktop allows. Takes 5 s at most.
   * Never throws; failed steps are in the result.
   * @param processes process ids from the hook up to the agent; the processes may have ended
   * @param terminal terminal variables that the hook recorded; malformed values are ignored
   */
  focus(
    processes: readonly number[],
    terminal: TerminalEnvironment | undefined,
    signal?: AbortSignal,
  ): Promise<FocusResult>;
}
