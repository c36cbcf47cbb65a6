import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { type CommandEnd, endLike, runInForeground } from "../../io/foreground.ts";
import { clean, cleanLine } from "../../text/clean.ts";
import { cut } from "../../text/cut.ts";
import { mask } from "../../text/mask/mask.ts";
import { shortDuration } from "../../text/time.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { addExamples, wholeNumber } from "../options.ts";

/** Declares `beckon run`: runs a command in this terminal, and sends a message when it has ended. */
export const registerRun: RegisterCommand = (command, run) => {
  addExamples(command, {
    "beckon run -- make -j8": "get a message when make has finished or failed",
    "beckon run --name tests -- npm test": "call the command `tests` in the message",
    "beckon run --tail 5 -- ./deploy.sh": "quote the last five lines of its output",
    "beckon run -- sh -c 'make && make install'": "run a shell command line",
  });
  command
    .argument("<command...>", "the command, after --; a program, not shell syntax")
    .option("--name <name>", "name for the command in the message; default: the command line")
    .option(
      "--tail <lines>",
      "quote this many of the last lines of output, at most 50; the command then writes to a pipe, not to the terminal",
      wholeNumber(50),
    )
    .addHelpText("after", runHelp)
    .action((words: string[], options: RunOptions) => run((context) => runRun(words, options, context)));
};

const runHelp = `
The command gets your terminal, and beckon exits like the command. Nothing is sent
if you ended it with Ctrl-C, or if it took less than \`attention.minTurn\`.`;

interface RunOptions {
  readonly name?: string;
  readonly tail?: number;
}

/** Longest name of a command in a message, in graphemes. */
const maxNameGraphemes = 60;
/** Number of bytes of output that are kept for `--tail`. */
const maxTailBytes = 16 * 1024;

/** Runs `beckon run`. Never returns. Whatever beckon's own state is, the command's exit code is this process's. */
async function runRun([file = "", ...args]: readonly string[], { name, tail }: RunOptions, context: CliContext) {
  const { environment, inherited = { env: environment.env, umask: process.umask() } } = context;
  let output = Buffer.alloc(0);
  const onOutput = (chunk: Buffer): void => {
    output = Buffer.concat([output, chunk]).subarray(-maxTailBytes);
  };
  const end = await runInForeground({ file, args, ...inherited, onOutput: tail === undefined ? undefined : onOutput });
  if (end.startError) context.printError(`beckon: ${cleanLine(file)}: ${describeStartError(end)}`);
  const commandLine = name ?? [file, ...args].join(" ");
  const program = cut(cleanLine(mask(commandLine)), maxNameGraphemes, "graphemes");
  try {
    await report(program, end, lastLines(output, tail ?? 0), context);
  } catch (error) {
    if (inherited.env["BECKON_DEBUG"] === "1") context.printError(`beckon: ${String(error)}`);
  }
  return endLike(end);
}

function describeStartError({ exitCode, startError }: CommandEnd): string {
  if (exitCode === 127) return "command not found";
  return startError === "EACCES" ? "cannot be executed" : `cannot be executed (${startError})`;
}

/** Sends the message about a command's end, unless it failed after Ctrl-C or took less than `attention.minTurn`. */
async function report(program: string, end: CommandEnd, tail: string, context: CliContext): Promise<void> {
  const { paths, environment } = context;
  const { exitCode, signal, tookMs, wasInterrupted } = end;
  const { attention } = await (await import("../../config/load.ts")).loadConfig(paths.config);
  if ((wasInterrupted && exitCode !== 0) || tookMs < attention.minTurn) return;
  const { sendMessage } = await import("../../actions/send-message.ts");
  const folder = resolve(environment.project);
  const reason = signal ?? `exit code ${exitCode}`;
  const failure = exitCode === 0 ? [] : [`${reason} after ${shortDuration(tookMs)}`];
  await sendMessage(
    {
      kind: exitCode === 0 ? "finished" : "failed",
      program: program || "command",
      ...{ body: [...failure, tail].filter(Boolean).join("\n") || undefined, turnMs: Math.round(tookMs) },
      reason: exitCode === 0 ? undefined : reason,
      // The next run of the same command resolves an earlier failure.
      sessionId: `run-${createHash("sha256")
        .update(JSON.stringify([folder, program]))
        .digest("hex")
        .slice(0, 12)}`,
      folder,
    },
    { paths, env: environment.env },
  );
}

/** Returns the last lines of an output that are not empty, without terminal sequences and secrets. */
function lastLines(output: Buffer, lines: number): string {
  if (lines === 0) return "";
  const isCut = output.length === maxTailBytes; // half a secret would not be recognized
  const whole = isCut ? output.subarray(output.indexOf("\n") + 1) : output;
  return mask(clean(new TextDecoder().decode(whole)))
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .slice(-lines)
    .join("\n");
}
