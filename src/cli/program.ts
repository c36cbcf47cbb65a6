import { Command, CommanderError, type OutputConfiguration } from "commander";
import packageFile from "../../package.json" with { type: "json" };
import { clean } from "../text/clean.ts";
import { nearWords } from "../text/did-you-mean.ts";
import { commandGroups, commandNames } from "./commands/registry.ts";
import type { CliContext, RunCommand } from "./context.ts";
import { asksForJson, CancelledError, errorLine, interrupted, reportError } from "./errors.ts";
import { addExamples } from "./options.ts";

const gettingStarted = {
  "beckon install": "install hooks for the agents on this machine",
  "beckon demo": "send samples of the notifications that can come",
  "beckon config add": "add a notifier: phone, chat, mail …",
  "beckon test": "send a test message through each notifier",
  "beckon doctor": "find problems and show how to fix them",
  "beckon log --follow": "watch events as they arrive",
};

/**
 * Runs the command line.
 * @param words without program and script
 * @returns the exit code: 0 success, 1 failure, 2 wrong usage
 */
export async function runCli(words: readonly string[], context: CliContext): Promise<number> {
  const args = resolveAliases(words);
  const isJson = asksForJson(args);
  const complaints: string[] = [];
  let exitCode = 0;
  const run: RunCommand = async (code) => {
    exitCode = await code(context);
  };
  try {
    const output = isJson ? collectErrors(complaints, context) : outputTo(context);
    const program = await createProgram(args, run, output);
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync([...expandHelp(args, program)], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CancelledError) return interrupted;
    if (!(error instanceof CommanderError)) return reportError(error, context, isJson);
    if (error.exitCode === 0) return 0;
    if (isJson) context.printError(usageErrorLine(complaints.join("")));
    return 2; // without JSON, commander has printed what was wrong
  }
}

/**
 * Replaces `help COMMAND SUBCOMMAND` by `COMMAND SUBCOMMAND --help`. Adds no `--help` after an unknown word, so that
 * the word is reported as an error.
 */
function expandHelp(args: readonly string[], program: Command): readonly string[] {
  const [first, ...path] = args;
  if (first !== "help" || path.length === 0) return args;
  let command: Command = program;
  for (const [index, word] of path.entries()) {
    if (command.commands.length === 0 || word.startsWith("-")) break;
    const inner = command.commands.find((each) => each.name() === word);
    if (!inner) return path.slice(0, index + 1);
    command = inner;
  }
  return [...path, "--help"];
}

/** Creates the command line with every command and option, for generated documents. Its commands do nothing. */
export function createFullProgram(): Promise<Command> {
  return createProgram(commandNames, async () => {}, {});
}

/** Creates the command line. Commands that are not in `words` have only a description. */
async function createProgram(words: readonly string[], run: RunCommand, output: OutputConfiguration): Promise<Command> {
  const program = new Command("beckon")
    .description(packageFile.description)
    .version(packageFile.version)
    .exitOverride()
    .showHelpAfterError("See `beckon --help`.")
    .configureHelp({ minWidthToWrap: 20 })
    .configureOutput(output);
  addExamples(program, gettingStarted, "Getting started");
  program.addHelpText(
    "after",
    "\nFiles are kept in $BECKON_HOME, by default ~/.beckon.\nExit codes: 0 success, 1 failure, 2 wrong usage.",
  );
  for (const [group, commands] of Object.entries(commandGroups)) {
    for (const [name, { description, load }] of Object.entries(commands)) {
      const command = program.command(name).description(description).helpGroup(group);
      if (words.includes(name)) (await load())(command, run);
      hintAtHelp(command, `beckon ${name}`);
    }
  }
  // After the commands, which would inherit it with its group.
  program.addHelpCommand(
    new Command("help").argument("[command]").description("show the help of a command").helpGroup("Look into it:"),
  );
  return program;
}

/** Makes errors about a command's arguments point to that command's help. */
function hintAtHelp(command: Command, line: string): void {
  command.showHelpAfterError(`See \`${line} --help\`.`);
  for (const inner of command.commands) hintAtHelp(inner, `${line} ${inner.name()}`);
}

/** Makes the library print its output, but collect its error messages in `complaints`. */
function collectErrors(complaints: string[], context: CliContext): OutputConfiguration {
  const collect = (text: string): void => void complaints.push(text);
  return { ...outputTo(context), writeErr: collect, outputError: (text) => collect(keepNearWords(text)) };
}

/** Formats the library's text about a usage error as JSON. */
function usageErrorLine(text: string): string {
  const [message = "", ...hints] = text.trim().split("\n");
  const hint = hints.map((line) => line.replace(/^\((.*)\)$/, "$1")).join(" ");
  return errorLine({ code: "usage", message: message.replace(/^error: /, ""), hint });
}

function outputTo({ print, printError, colors, errorColors }: CliContext): OutputConfiguration {
  const line = (text: string): string => text.replace(/\n$/, "");
  return {
    writeOut: (text) => print(line(text)),
    writeErr: (text) => printError(line(text)),
    outputError: (text, write) => write(clean(keepNearWords(text)).replace(/^error:/, errorColors.red("beckon:"))),
    getOutHasColors: () => colors.isColorSupported,
    getErrHasColors: () => errorColors.isColorSupported,
  };
}

/** Removes the library's suggestions that differ from the typed word by more than two letters. */
function keepNearWords(text: string): string {
  return text.replace(
    /('([^'\n]*)')\n\(Did you mean (?:one of )?([^?\n]+)\?\)/,
    (_, quoted: string, typed: string, suggested: string) => {
      const near = nearWords(typed, suggested.split(", "));
      return near.length === 0 ? quoted : `${quoted}\n(Did you mean ${near.join(" or ")}?)`;
    },
  );
}

/** Words that other tools use for beckon's commands. They are not in the help. */
const commandAliases: Readonly<Record<string, readonly string[]>> = {
  init: ["install"],
  setup: ["install"],
  version: ["--version"],
  list: ["sessions"],
  ps: ["sessions"],
  logs: ["log"],
  mute: ["snooze"],
  pause: ["snooze"],
  open: ["board"],
  add: ["config", "add"],
  remove: ["config", "remove"],
};

/** Replaces an alias at the start of a command line, also after `help` and in a command line to complete. */
function resolveAliases(args: readonly string[]): readonly string[] {
  const [first = "", ...rest] = args;
  if (first === "help") return [first, ...resolveAliases(rest)];
  const [words, dashes, ...typed] = rest;
  if (first === "completion" && words === "words" && dashes === "--" && typed.length > 1)
    return [first, words, dashes, ...resolveAliases(typed)];
  return Object.hasOwn(commandAliases, first) ? [...(commandAliases[first] ?? []), ...rest] : args;
}
