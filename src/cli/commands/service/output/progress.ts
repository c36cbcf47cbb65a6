import { cutToCells } from "../../../columns.ts";
import type { CliContext } from "../../../context.ts";

/** A line on standard error that is overwritten as work goes on, and removed at the end. */
export interface Progress {
  show(text: string): void;
  /** Removes the line. Call it before anything else is printed. */
  clear(): void;
}

const emptyLine = "\r\u001b[2K";

/** Shows nothing where standard error is not a terminal, or one that cannot move its cursor back. */
export function createProgress({ errorTerminal, environment }: CliContext): Progress {
  if (errorTerminal === undefined || environment.env["TERM"] === "dumb") return { show: () => {}, clear: () => {} };
  let isShown = false;
  return {
    show(text) {
      // A line as wide as the terminal would wrap, and only its last part would be removed.
      errorTerminal.write(emptyLine + cutToCells(text, errorTerminal.columns() - 1));
      isShown = true;
    },
    clear() {
      if (isShown) errorTerminal.write(emptyLine);
      isShown = false;
    },
  };
}
