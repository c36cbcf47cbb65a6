import { cutToCells } from "../../../columns.ts";
import type { CliContext } from "../../../context.ts";

/** Line on standard error that shows progress. It is overwritten as the work goes on, and removed at the end. */
export interface Progress {
  show(text: string): void;
  /** Removes the line. Call this before any other output. */
  clear(): void;
}

const emptyLine = "\r\u001b[2K";

/** Creates the progress line. It shows nothing unless standard error is a terminal that can move its cursor. */
export function createProgress({ errorTerminal, environment }: CliContext): Progress {
  if (errorTerminal === undefined || environment.env["TERM"] === "dumb") return { show: () => {}, clear: () => {} };
  let isShown = false;
  return {
    show(text) {
      // A full line would wrap, and clearing would only remove its last part.
      errorTerminal.write(emptyLine + cutToCells(text, errorTerminal.columns() - 1));
      isShown = true;
    },
    clear() {
      if (isShown) errorTerminal.write(emptyLine);
      isShown = false;
    },
  };
}
