import { once } from "node:events";
import { existsSync } from "node:fs";
import picocolors from "picocolors";
import { homeDirectory, resolvePaths, workingDirectory } from "../files/paths.ts";
import { commandFile, isOnPath } from "../installer/app/command-link.ts";
import { commandNames } from "./commands/registry.ts";
import type { CliContext, Inherited, OutputTerminal } from "./context.ts";
import { asksForJson, errorLine } from "./errors.ts";
import { runCli } from "./program.ts";
import { homePrefix, shellPath } from "./say.ts";

/**
 * Runs the command line with this process's files, environment and output.
 * @param program file of the running program
 * @returns the exit code
 */
export async function runProcess(args: readonly string[], program: string, inherited: Inherited): Promise<number> {
  const { env, platform, stdout, stderr } = process;
  stderr.on("error", () => {}); // there is nowhere left to report it
  const home = findHome(args);
  const context: CliContext = {
    paths: resolvePaths(),
    environment: { home, project: workingDirectory() ?? home, env, platform },
    print: (text) => void stdout.write(`${text}\n`),
    drained: async () => stdout.writableNeedDrain && once(stdout, "drain"),
    printError: (text) => void stderr.write(`${text}\n`),
    colors: colorsFor(stdout),
    errorColors: colorsFor(stderr),
    terminal: createTerminal(stdout),
    errorTerminal: createTerminal(stderr),
    inherited,
    now: Date.now,
    interruption() {
      const controller = new AbortController();
      // Listen once, so that a second Ctrl-C ends the process.
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort());
      return controller.signal;
    },
  };
  return runCli(args, nameWorkingCommands(args, program, context));
}

function findHome(args: readonly string[]): string {
  try {
    return homeDirectory();
  } catch {
    const user = process.getuid?.() ?? "this user";
    const message = `HOME is not set, and user ${user} has no entry in /etc/passwd`;
    const hint = "Set HOME to your home folder.";
    const text = `beckon: ${message}\n  ${hint}`;
    process.stderr.write(`${asksForJson(args) ? errorLine({ code: "command", message, hint }) : text}\n`);
    process.exit(1);
  }
}

function colorsFor({ isTTY }: Pick<NodeJS.WriteStream, "isTTY">) {
  const { NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, TERM } = process.env;
  const isForced = [FORCE_COLOR, CLICOLOR_FORCE].some((value) => value !== undefined && value !== "0");
  return picocolors.createColors(!NO_COLOR && (isForced || (isTTY === true && TERM !== "dumb")));
}

function createTerminal(stream: NodeJS.WriteStream): OutputTerminal | undefined {
  if (!stream.isTTY) return undefined;
  // Some pseudo terminals report a width of 0.
  return {
    columns: () => stream.columns || 80,
    rows: () => stream.rows || 24,
    write: (text) => void stream.write(text),
  };
}

/** Commands in whose output command names may be changed, because it has no event texts and no data for programs. */
const forPeople = "answers install config demo test upgrade uninstall status doctor snooze focus help".split(" ");

/** Matches a beckon command in a text for people: at a line's start, after `: `, `; ` or `&& `, in `<(…)` or backticks. */
const commandLine = new RegExp(
  `(?<=^\\s*|\`|<\\(|[;&] |(?<!Usage): )beckon (?=(?:${commandNames.join("|")})\\b)`,
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
    ...(name !== "relay" && { nameCommands: replace }), // which also names commands for other machines
    printError: (text) => context.printError(replace(text)),
  };
}

/** Returns the command that works now: `beckon`, or the path of the installed or the running program. */
function workingCommand(program: string, context: Pick<CliContext, "paths" | "environment">): string {
  const prefix = homePrefix(context);
  if (isOnPath(context)) return `${prefix}beckon`;
  const installed = commandFile(context.paths);
  const file = existsSync(installed) ? installed : program;
  const { environment } = context;
  return prefix + (environment.platform === "win32" ? `node "${file}"` : shellPath(file, environment));
}
