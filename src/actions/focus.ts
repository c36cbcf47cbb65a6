import type { FocusStep } from "../core/focus-port.ts";

/** Describes steps for people: `the window is focused; tmux's pane cannot be focused: the pane is closed`. */
export function describeFocus(steps: readonly FocusStep[]): string {
  return steps
    .map(({ target, obstacle }) => {
      return obstacle === undefined ? `${target} is focused` : `${target} cannot be focused: ${obstacle}`;
    })
    .join("; ");
}
