import type { Command } from "commander";

/** Adds examples to a command's help: command lines, each with its effect. */
export function addExamples(command: Command, examples: Readonly<Record<string, string>>, title = "Examples"): void {
  // The effect stands below, because a command line may be as wide as the terminal.
  const lines = Object.entries(examples).map(([line, effect]) => `  ${line}\n      ${effect}`);
  command.addHelpText("after", `\n${title}:\n${lines.join("\n")}`);
}
