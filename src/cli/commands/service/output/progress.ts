import { cutToCells } from "../../../columns.ts";
import type { CliContext } from "../../../context.ts";

/** One line on standard error that is written again and again, and gone in the end. */
export interface Progress {
  show(text: string): void;
  /** Takes the line away; to be called before anything else is printed. */
  clear(): void;
}

const emptyLine = "\r\u001b[2K";

/** Shows nothing where standard error is no terminal, or one that cannot go back. */
export function createProgress({ errorTerminal, place }: CliContext): Progress {
  if (errorTerminal === undefined || place.env["TERM"] === "dumb") return { show: () => {}, clear: () => {} };
  let isShown = false;
  return {
    show(text) {
      // A line as wide as the terminal would begin another, which is not taken away.
      errorTerminal.write(emptyLine + cutToCells(text, errorTerminal.columns() - 1));
      isShown = true;
    },
    clear() {
      if (isShown) errorTerminal.write(emptyLine);
      isShown = false;
    },
  };
}
