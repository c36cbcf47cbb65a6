#!/usr/bin/env node
import { once } from "node:events";
import picocolors from "picocolors";
import { readErrno } from "../core/errors.ts";
import { homeDirectory, resolvePaths, workingDirectory } from "../files/paths.ts";
import { nameWorkingCommands } from "./command-form.ts";
import type { CliContext, OutputTerminal } from "./context.ts";
import { asksForJson, errorLine } from "./errors.ts";
import { runCli } from "./program.ts";

const inherited = { env: { ...process.env }, umask: process.umask(0o077) };
// These make libraries print debugging output to stdout.
for (const name of ["DEBUG", "NODE_DEBUG"]) delete process.env[name];
// An agent's environment must not disable certificate checks.
delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];

process.stdout.on("error", (error) => {
  // In `beckon log | head`, the reader closes the pipe, which is fine.
  if (readErrno(error) === "EPIPE") process.exit(0);
  process.stderr.write(`beckon: cannot write to standard output (${readErrno(error) ?? "unknown error"})\n`);
  process.exit(1);
});
process.stderr.on("error", () => {}); // there is nowhere left to report it

const { env, platform, stdout, stderr } = process;
const [, program = "", ...args] = process.argv;
const home = findHome();
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

const exitCode = await runCli(args, nameWorkingCommands(args, program, context));
// A notifier that timed out may keep the process alive, so exit once the output is written. If writing fails, the
// stream's `error` event follows and ends the process.
stdout.write("", (error) => void (error ? setImmediate(() => process.exit(1)) : process.exit(exitCode)));

function findHome(): string {
  try {
    return homeDirectory();
  } catch {
    const user = process.getuid?.() ?? "this user";
    const message = `HOME is not set, and user ${user} has no entry in /etc/passwd`;
    const hint = "Set HOME to your home folder.";
    const text = `beckon: ${message}\n  ${hint}`;
    stderr.write(`${asksForJson(args) ? errorLine({ code: "command", message, hint }) : text}\n`);
    process.exit(1);
  }
}

function colorsFor({ isTTY }: Pick<NodeJS.WriteStream, "isTTY">) {
  return picocolors.createColors(isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb");
}

function createTerminal(stream: NodeJS.WriteStream): OutputTerminal | undefined {
  if (!stream.isTTY) return undefined;
  // Some pseudo terminals report a width of 0.
  return { columns: () => stream.columns || 80, write: (text) => void stream.write(text) };
}
