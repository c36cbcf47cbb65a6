import type { TerminalEnvironment } from "./terminal-environment.ts";

/** One step on the way to a terminal: the desktop's window, then what shows the terminal in it. */
export interface FocusStep {
  /** What was asked, as people call it: `the window`, `tmux's pane`, `kitty's window`. */
  readonly target: string;
  /** Why it could not be done, in a clause that follows a colon; absent where it is done. */
  readonly obstacle?: string;
}

/** How far the way to a terminal was gone. */
export interface FocusResult {
  /** Whether every step is done, so that the person sees the terminal. */
  readonly isInFront: boolean;
  /** From the outermost to the innermost; one at least. */
  readonly steps: readonly FocusStep[];
}

/** Brings terminals on this machine to the front. */
export interface FocusPort {
  /**
   * Brings an agent's terminal to the front: its window, tab and pane, as far as the desktop lets programs do that.
   * Takes 5 s at most. Never throws; what cannot be done is in the result.
   * @param processes process ids from the hook up to the agent; they may have ended
   * @param terminal what the hook recorded of its environment; values that do not look as they should are ignored
   */
  focus(
    processes: readonly number[],
    terminal: TerminalEnvironment | undefined,
    signal?: AbortSignal,
  ): Promise<FocusResult>;
}
