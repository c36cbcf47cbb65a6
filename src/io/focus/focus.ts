import type { FocusPort } from "../../core/focus-port.ts";
import type { ExecPort } from "../../core/ports.ts";

/** The port that brings terminals of this machine to the front. */
export function createFocus(_exec: ExecPort): FocusPort {
  const obstacle = "no way to it is known";
  return { focus: async () => ({ isInFront: false, steps: [{ target: "the terminal", obstacle }] }) };
}
