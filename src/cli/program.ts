import { Command, CommanderError, type OutputConfiguration } from "commander";
import packageFile from "../../package.json" with { type: "json" };
import { commandRegistry } from "./commands/registry.ts";
import type { CliContext, RunCommand } from "./context.ts";
import { reportError } from "./errors.ts";

const gettingStarted = `
Getting started:
  beckon install        install the hooks of the agents on this machine
  beckon config add     add a notifier: phone, chat, mail …
  beckon test           send a message through every notifier
  beckon doctor         look for problems and say how to fix them
  beckon log --follow   watch events as they come in

beckon keeps everything in $BECKON_HOME, by default ~/.beckon.
Exit codes: 0 success, 1 something failed, 2 wrong usage.`;

/**
 * Runs the command line.
 * @param args without program and script
 * @returns the exit code: 0 success, 1 something failed, 2 wrong usage
 */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  let exitCode = 0;
  const run: RunCommand = async (code) => {
    exitCode = await code(context);
  };
  try {
    const program = await createProgram(args, run, outputTo(context));
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync([...args], { from: "user" });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportError(error, context);
    return error.exitCode === 0 ? 0 : 2; // commander has printed what was wrong
  }
}

/** The whole command line, every command with its options, for generated documents. Its commands do nothing. */
export function createFullProgram(): Promise<Command> {
  return createProgram(Object.keys(commandRegistry), async () => {}, {});
}

/** The command line. Of commands that are not among `words` there is only what `--help` lists. */
async function createProgram(words: readonly string[], run: RunCommand, output: OutputConfiguration): Promise<Command> {
  const program = new Command("beckon")
    .description(packageFile.description)
    .version(packageFile.version)
    .exitOverride()
    .showHelpAfterError("See `beckon --help`.")
    .addHelpText("after", gettingStarted)
    .configureOutput(output);
  for (const [name, { description, load }] of Object.entries(commandRegistry)) {
    const command = program.command(name).description(description);
    command.showHelpAfterError(`See \`beckon ${name} --help\`.`);
    if (words.includes(name)) (await load())(command, run);
  }
  return program;
}

function outputTo({ print, printError, colors, errorColors }: CliContext): OutputConfiguration {
  const line = (text: string): string => text.replace(/\n$/, "");
  return {
    writeOut: (text) => print(line(text)),
    writeErr: (text) => printError(line(text)),
    outputError: (text, write) => write(text.replace(/^error:/, errorColors.red("beckon:"))),
    getOutHasColors: () => colors.isColorSupported,
    getErrHasColors: () => errorColors.isColorSupported,
  };
}
