#!/usr/bin/env node
import { once } from "node:events";
import picocolors from "picocolors";
import { errnoOf } from "../core/errors.ts";
import { homeDirectory, pathsOf, workingDirectory } from "../files/paths.ts";
import type { CliContext, OutputTerminal } from "./context.ts";
import { runCli } from "./program.ts";

process.umask(0o077);
// With these, libraries print debugging output to stdout, among the command's own.
for (const name of ["DEBUG", "NODE_DEBUG"]) delete process.env[name];
// In an agent's environment this would switch the checks of certificates off, also for a module of the user's.
delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];

process.stdout.on("error", (error) => {
  // `beckon log | head`: the reader has gone, which is no failure.
  if (errnoOf(error) === "EPIPE") process.exit(0);
  process.stderr.write(`beckon: cannot write to standard output (${errnoOf(error) ?? "unknown error"})\n`);
  process.exit(1);
});
process.stderr.on("error", () => {}); // there is nowhere left to report it

const { env, platform, stdout, stderr } = process;
const home = findHome();
const context: CliContext = {
  paths: pathsOf(),
  environment: { home, project: workingDirectory() ?? home, env, platform },
  print: (text) => void stdout.write(`${text}\n`),
  drained: async () => stdout.writableNeedDrain && once(stdout, "drain"),
  printError: (text) => void stderr.write(`${text}\n`),
  colors: colorsFor(stdout),
  errorColors: colorsFor(stderr),
  terminal: terminalOf(stdout),
  errorTerminal: terminalOf(stderr),
  interruption() {
    const controller = new AbortController();
    // Once: a second Ctrl-C ends the process whatever it does.
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort());
    return controller.signal;
  },
};

const exitCode = await runCli(process.argv.slice(2), context);
// A notifier that timed out may keep the process alive, so it is ended here, once the output is written. If that fails,
// the stream's `error` event comes a moment later and ends the process.
stdout.write("", (error) => void (error ? setImmediate(() => process.exit(1)) : process.exit(exitCode)));

function findHome(): string {
  try {
    return homeDirectory();
  } catch {
    const user = process.getuid?.() ?? "this user";
    stderr.write(
      `beckon: HOME is not set, and user ${user} has no entry in /etc/passwd\n  Set HOME to a folder of yours.\n`,
    );
    process.exit(1);
  }
}

function colorsFor({ isTTY }: Pick<NodeJS.WriteStream, "isTTY">) {
  return picocolors.createColors(isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb");
}

function terminalOf(stream: NodeJS.WriteStream): OutputTerminal | undefined {
  if (!stream.isTTY) return undefined;
  // Some pseudo terminals do not know their width and say 0.
  return { columns: () => stream.columns || 80, write: (text) => void stream.write(text) };
}
