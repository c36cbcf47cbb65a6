import type { Timer } from "../../../../core/ports.ts";
import { createClock } from "../../../../io/clock.ts";
import { cutToCells } from "../../../columns.ts";
import type { CliContext } from "../../../context.ts";

/** Line on standard error that shows progress. It is overwritten as the work goes on, and removed at the end. */
export interface Progress {
  show(text: string): void;
  /** Shows a text after a mark. The mark moves until the next `clear`. */
  spin(text: string): void;
  /** Removes the line. Must be called before any other output. */
  clear(): void;
}

const emptyLine = "\r\u001b[2K";
const frames = ["|", "/", "-", "\\"];
const frameMs = 120;

/** Creates the progress line. It shows nothing unless standard error is a terminal that can move its cursor. */
export function createProgress({ errorTerminal, environment, every = createClock().every }: CliContext): Progress {
  const none = (): void => {};
  if (errorTerminal === undefined || environment.env["TERM"] === "dumb") return { show: none, spin: none, clear: none };
  let isShown = false;
  let [frame, spinning] = [0, ""];
  let timer: Timer | undefined;
  const show = (text: string): void => {
    // A full line would wrap, and clearing would only remove its last part.
    errorTerminal.write(emptyLine + cutToCells(text, errorTerminal.columns() - 1));
    isShown = true;
  };
  const draw = (): void => show(`${frames[frame % frames.length]} ${spinning}`);
  return {
    show,
    spin(text) {
      spinning = text;
      draw();
      timer ??= every(frameMs, () => {
        frame += 1;
        draw();
      });
    },
    clear() {
      timer?.cancel();
      timer = undefined;
      if (isShown) errorTerminal.write(emptyLine);
      isShown = false;
    },
  };
}
