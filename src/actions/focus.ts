import type { FocusStep } from "../core/focus-port.ts";

/** `the window is in front; tmux's pane cannot be shown: the pane is closed` */
export function describeFocus(steps: readonly FocusStep[]): string {
  return steps
    .map(({ target, obstacle }) => {
      return obstacle === undefined ? `${target} is focused` : `${target} cannot be focused: ${obstacle}`;
    })
    .join("; ");
}
