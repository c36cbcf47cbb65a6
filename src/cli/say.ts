import { fold } from "./columns.ts";
import { type CliContext, lineCells } from "./context.ts";

/** Prints a text, folded between words to the terminal's width. Indents each line but the first by `indent` spaces. */
export function say(text: string, context: Pick<CliContext, "print" | "terminal" | "nameCommands">, indent = 0): void {
  const named = context.nameCommands?.(text) ?? text;
  context.print(fold(named, lineCells(context), indent).join("\n"));
}

/** Prints the output of a user's program or module, if any, with a bar before each line. */
export function printProgramOutput(
  said: string | undefined,
  { print, colors }: Pick<CliContext, "print" | "colors">,
): void {
  for (const line of said?.split("\n") ?? []) print(colors.dim(`  | ${line}`));
}
