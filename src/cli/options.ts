import { type Command, InvalidArgumentError } from "commander";

/** Adds examples to a command's help: command lines, each with its effect. */
export function addExamples(command: Command, examples: Readonly<Record<string, string>>, title = "Examples"): void {
  // The effect stands below, because a command line may be as wide as the terminal.
  const lines = Object.entries(examples).map(([line, effect]) => `  ${line}\n      ${effect}`);
  command.addHelpText("after", `\n${title}:\n${lines.join("\n")}`);
}

/** Collects the values of an option that may be repeated. */
export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

/** Creates a parser for an option that takes a whole number from 1 to `max`, by default a billion. */
export function wholeNumber(max?: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : 0;
    if (value >= 1 && value <= (max ?? 1e9)) return value;
    throw new InvalidArgumentError(
      `It must be a whole number${max === undefined ? ", 1 or more" : ` from 1 to ${max}`}.`,
    );
  };
}
