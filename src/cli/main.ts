#!/usr/bin/env node
import picocolors from "picocolors";
import { errnoOf } from "../core/errors.ts";
import { homeDirectory, pathsOf } from "../core/paths.ts";
import type { CliContext, Terminal } from "./context.ts";
import { runCli } from "./program.ts";

process.umask(0o077);
// Libraries print to stdout when these are set, and stdout is somebody's.
for (const name of ["DEBUG", "NODE_DEBUG"]) delete process.env[name];

process.stdout.on("error", (error) => {
  // `beckon log | head`: whoever reads has seen enough.
  if (errnoOf(error) === "EPIPE") process.exit(0);
  process.stderr.write(`beckon: not all could be written to standard output (${errnoOf(error) ?? "unknown error"})\n`);
  process.exit(1);
});
process.stderr.on("error", () => {}); // nobody is left to be told

const { env, platform, stdout, stderr } = process;
const home = homeDirectory();
const context: CliContext = {
  paths: pathsOf(),
  place: { home, project: workingDirectory() ?? home, env, platform },
  print: (text) => void stdout.write(`${text}\n`),
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
// A notifier that was given up may still hold the loop; what was printed has to get out first.
// Where it could not, the stream's `error` comes a moment later and ends the process.
stdout.write("", (error) => void (error ? setImmediate(() => process.exit(1)) : process.exit(exitCode)));

function colorsFor({ isTTY }: { readonly isTTY?: boolean }) {
  return picocolors.createColors(isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb");
}

function terminalOf(stream: NodeJS.WriteStream): Terminal | undefined {
  if (!stream.isTTY) return undefined;
  // A terminal that does not know its width, as some pseudo terminals do not, says 0.
  return { columns: () => stream.columns || 80, write: (text) => void stream.write(text) };
}

function workingDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined; // deleted under us: then there is no project
  }
}
