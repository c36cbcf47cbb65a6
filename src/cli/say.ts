import { fold } from "./columns.ts";
import { type CliContext, lineCells } from "./context.ts";

/** Prints a sentence, folded at words where the terminal is too narrow for it; `indent` spaces before all lines but the first. */
export function say(text: string, context: Pick<CliContext, "print" | "terminal">, indent = 0): void {
  context.print(fold(text, lineCells(context), indent).join("\n"));
}
