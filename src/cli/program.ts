import { Command, CommanderError, InvalidArgumentError } from "commander";
import packageFile from "../../package.json" with { type: "json" };
import { addConfigCommands } from "./commands/config/config.ts";
import type { CliContext, Finish } from "./context.ts";
import { reportError } from "./errors.ts";
import { addInstaller } from "../installer/context.ts";

const overview = `
Begin with:
  beckon install        set up the hooks of the agents on this machine
  beckon config add     one more place that calls you: phone, chat, mail
  beckon test           send a message through every notifier, now
  beckon doctor         look for everything that could be wrong, each with its cure
  beckon log --follow   watch what becomes of your agents' events

Everything beckon keeps is in $BECKON_HOME, by default ~/.beckon.
Exit codes: 0 success, 1 something failed, 2 wrong usage.`;

/**
 * Runs the command line. A command's code is loaded when it is called.
 * @param args without program and script
 * @returns the exit code: 0 success, 1 something failed, 2 wrong usage
 */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  let exitCode = 0;
  const program = createProgram(context);
  addInstaller(program, context, finish);
  addSetupCommands(program, context, finish);
  addJournalCommands(program, context, finish);
  addConfigCommands(program, context, finish);
  try {
    await addService(program, args, context, finish);
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync([...args], { from: "user" });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportError(error, context);
    return error.exitCode === 0 ? 0 : 2; // commander has said what was wrong
  }

  function finish(code: number): void {
    exitCode = code;
  }
}

function createProgram({ print, printError, colors, errorColors }: CliContext): Command {
  const line = (text: string): string => text.replace(/\n$/, "");
  return new Command("beckon")
    .description(packageFile.description)
    .version(packageFile.version)
    .exitOverride()
    .showHelpAfterError("See `beckon --help`.")
    .addHelpText("after", overview)
    .configureOutput({
      writeOut: (text) => print(line(text)),
      writeErr: (text) => printError(line(text)),
      outputError: (text, write) => write(text.replace(/^error:/, errorColors.red("beckon:"))),
      getOutHasColors: () => colors.isColorSupported,
      getErrHasColors: () => errorColors.isColorSupported,
    });
}

function addJournalCommands(program: Command, context: CliContext, finish: Finish): void {
  program
    .command("log")
    .description("the journal: what happened to each event, newest last")
    .option("--json", "one object a line")
    .option("--follow", "go on with what comes in, until Ctrl-C")
    .option("--limit <n>", "how many lines", count, 50)
    .option("--session <id>", "only this session's; the beginning of its id will do")
    .option("--failed", "only what was lost: failed, expired, rejected")
    .action(async (options) => finish(await (await import("./commands/log.ts")).runLog(options, context)));
  program
    .command("flush")
    .description("deliver what is due now, or wait until the worker has done so")
    .option("--timeout <seconds>", "how long, at most", seconds, 60)
    .action(async ({ timeout }) => {
      finish(await (await import("./commands/flush.ts")).runFlush({ timeoutSeconds: timeout }, context));
    });
  program
    .command("retry")
    .description("put back events that were given up")
    .argument("[id...]", "ids as `beckon log` shows them, or longer")
    .option("--failed", "all that can still be delivered")
    .action(async (ids, { failed }) => {
      finish(await (await import("./commands/retry.ts")).runRetry({ ids, failed }, context));
    });
}

function addSetupCommands(program: Command, context: CliContext, finish: Finish): void {
  program
    .command("status")
    .description("agents, hooks, configuration, notifiers, spool")
    .option("--json", "as one object")
    .action(async (options) => finish(await (await import("./commands/status.ts")).runStatus(options, context)));
  program
    .command("doctor")
    .description("every check, with its cure; exit code 1 if something is wrong")
    .option("--json", "as one array")
    .action(async (options) => finish(await (await import("./commands/doctor/doctor.ts")).runDoctor(options, context)));
  program
    .command("test")
    .description("send a test message now and show what came of it")
    .argument("[notifier...]", "names from the configuration; default: all")
    .action(async (names) => finish(await (await import("./commands/test.ts")).runTest({ names }, context)));
}

/** Its commands are made of the endpoints' schemas, which nobody else has to load. */
async function addService(program: Command, args: readonly string[], context: CliContext, finish: Finish) {
  const service = program.command("service").description("the service's API: analytics, sessions, computers, users");
  service.showHelpAfterError("See `beckon service --help`.");
  if (!args.includes("service")) return;
  (await import("./commands/service/service.ts")).addServiceCommands(service, context, finish);
}

function count(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 on.");
}

function seconds(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value > 0 && value <= 86_400) return value;
  throw new InvalidArgumentError("It must be a number of seconds, more than 0 and at most 86400.");
}
