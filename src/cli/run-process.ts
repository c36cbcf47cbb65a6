import { once } from "node:events";
import picocolors from "picocolors";
import { homeDirectory, resolvePaths, workingDirectory } from "../files/paths.ts";
import { nameWorkingCommands } from "./command-form.ts";
import type { CliContext, Inherited, OutputTerminal } from "./context.ts";
import { asksForJson, errorLine } from "./errors.ts";
import { runCli } from "./program.ts";

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
  const { NO_COLOR, TERM } = process.env;
  return picocolors.createColors(isTTY === true && !NO_COLOR && TERM !== "dumb");
}

function createTerminal(stream: NodeJS.WriteStream): OutputTerminal | undefined {
  if (!stream.isTTY) return undefined;
  // Some pseudo terminals report a width of 0.
  return { columns: () => stream.columns || 80, write: (text) => void stream.write(text) };
}
