import type { Command } from "commander";

/**
 * Adds examples to a command's help.
 * @param examples command lines, each with its effect
 */
export function addExamples(command: Command, examples: Readonly<Record<string, string>>): void {
  const lines = Object.entries(examples).map(([line, effect]) => `  ${line}\n      ${effect}`);
  command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
}
