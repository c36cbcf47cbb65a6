import { fold } from "./columns.ts";
import { type CliContext, lineCells } from "./context.ts";

/**
 * Prints a sentence, folded at words where the terminal is too narrow for it; `indent` spaces before all lines but the
 * first.
 */
export function say(text: string, context: Pick<CliContext, "print" | "terminal">, indent = 0): void {
  context.print(fold(text, lineCells(context), indent).join("\n"));
}

/** Prints what a program or module of the user's said, if anything, each line behind a bar. */
export function printSaid(said: string | undefined, { print, colors }: Pick<CliContext, "print" | "colors">): void {
  for (const line of said?.split("\n") ?? []) print(colors.dim(`  | ${line}`));
}
