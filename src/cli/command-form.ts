import { existsSync } from "node:fs";
import { commandFile, isOnPath } from "../installer/app/command-link.ts";
import { commandRegistry } from "./commands/registry.ts";
import type { CliContext } from "./context.ts";
import { asksForJson } from "./errors.ts";
import { shellPath } from "./short-path.ts";

/** Commands in whose output command names may be changed, because it has no event texts and no data for programs. */
const forPeople = [
  "install",
  "config",
  "demo",
  "test",
  "upgrade",
  "uninstall",
  "status",
  "doctor",
  "snooze",
  "focus",
  "help",
];

/** Matches a beckon command in a text for people: at the start of a line, after a colon, in `<(…)`, or in backticks. */
const commandLine = new RegExp(
  `(?<=^\\s*|\`|<\\(|(?<!Usage): )beckon (?=(?:${Object.keys(commandRegistry).join("|")})\\b)`,
  "gm",
);

/**
 * Makes the output for people name commands in the form that works now: with the program's path if `beckon` is not on
 * PATH.
 * @param program file of the running program
 */
export function nameWorkingCommands(args: readonly string[], program: string, context: CliContext): CliContext {
  const [name = "help"] = args;
  if (asksForJson(args)) return context;
  const isForPeople = args.includes("--help") || forPeople.includes(name);
  const replace = (text: string): string => text.replace(commandLine, () => `${workingCommand(program, context)} `);
  return {
    ...context,
    print: (text) => context.print(isForPeople ? replace(text) : text),
    ...(isForPeople && { nameCommands: replace }),
    printError: (text) => context.printError(replace(text)),
  };
}

/** Returns the command that works now: `beckon`, or the path of the installed or the running program. */
function workingCommand(program: string, context: Pick<CliContext, "paths" | "environment">): string {
  if (isOnPath(context)) return "beckon";
  const installed = commandFile(context.paths);
  const file = existsSync(installed) ? installed : program;
  const { environment } = context;
  return environment.platform === "win32" ? `node "${file}"` : shellPath(file, environment);
}
