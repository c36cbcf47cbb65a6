import { type ChildProcess, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { readErrno } from "../core/errors.ts";
import { quietly } from "../core/quietly.ts";
import { findProcess, isStopped } from "../files/process-table.ts";

/** Command to run in the foreground of this process's terminal. */
interface ForegroundCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Mask for the modes of files that the command creates. */
  readonly umask: number;
  /**
   * Receives the command's output, which then goes through pipes. If absent, the command inherits this process's
   * output.
   */
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
}

/** End of a command. */
export interface CommandEnd {
  /** Exit code as a shell reports it: 128 + n after signal n, 127 if not found, 126 if not executable. */
  readonly exitCode: number;
  readonly signal?: NodeJS.Signals;
  /** Error code of the system if the command could not be started. */
  readonly startError?: string;
  readonly tookMs: number;
  /** True if Ctrl-C or Ctrl-\ was pressed at the terminal meanwhile. */
  readonly wasInterrupted: boolean;
}

/** Signals for one process that are forwarded to the command. */
const forwardedSignals = ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"] as const;
/** Signals that a terminal sends to the command as well, because both are in one process group. */
const keyboardSignals = ["SIGINT", "SIGQUIT"] as const;

/**
 * Runs a command with this process's streams, terminal and process group, and waits for its end. If the command stops,
 * this process stops too, so that the shell sees a stopped job. Never throws.
 */
export async function runInForeground(command: ForegroundCommand): Promise<CommandEnd> {
  const startedAtMs = performance.now();
  let child: ChildProcess | undefined;
  let wasInterrupted = false;
  const forward = (signal: NodeJS.Signals): void => void child?.kill(signal);
  // Without a terminal, nobody but the caller of this process can have sent these.
  const isAtTerminal = findProcess(process.pid)?.terminalDevice !== 0;
  for (const signal of forwardedSignals) process.on(signal, forward);
  for (const signal of keyboardSignals) {
    process.on(signal, () => {
      if (isAtTerminal) wasInterrupted = true;
      else forward(signal);
    });
  }
  process.on("SIGCONT", forward);
  process.on("SIGCHLD", () => {
    if (child?.pid !== undefined && isStopped(child.pid)) process.kill(process.pid, "SIGTSTP");
  });
  const end = await new Promise<Omit<CommandEnd, "tookMs" | "wasInterrupted">>((resolve) => {
    const fail = (error: unknown): void => resolve(describeStartError(error));
    try {
      child = start(command);
      child.once("error", fail);
      child.once("exit", (code, signal) =>
        resolve(signal === null ? { exitCode: code ?? 1 } : { exitCode: 128 + constants.signals[signal], signal }),
      );
    } catch (error) {
      fail(error);
    }
  });
  const tookMs = performance.now() - startedAtMs;
  await Promise.all([child?.stdout, child?.stderr].map(waitUntilRead));
  // While a command starts, the terminal's signal may arrive after the command's end.
  if (isAtTerminal && keyboardSignals.some((signal) => signal === end.signal)) wasInterrupted = true;
  return { ...end, tookMs, wasInterrupted };
}

function start({ file, args, env, umask, onOutput }: ForegroundCommand): ChildProcess {
  const ownMask = process.umask(umask);
  try {
    if (!onOutput) return spawn(file, args, { env, stdio: "inherit" });
    const child = spawn(file, args, { env, stdio: ["inherit", "pipe", "pipe"] });
    copyOutput(child.stdout, process.stdout, onOutput);
    copyOutput(child.stderr, process.stderr, onOutput);
    return child;
  } finally {
    process.umask(ownMask);
  }
}

/** Copies a command's output. If the reader closes its end, the command's end is closed too. */
function copyOutput(from: Readable, to: NodeJS.WriteStream, onOutput: (chunk: Buffer) => void): void {
  to.removeAllListeners("error").on("error", () => from.destroy());
  from.on("data", onOutput);
  from.pipe(to, { end: false });
}

/** Time without output after which a pipe that a background process holds open is left, milliseconds. */
const idleMs = 100;

/** Waits until a pipe's output is copied: to its end, or until it has been silent for a moment. */
function waitUntilRead(pipe: Readable | null | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (!pipe || pipe.readableEnded || pipe.destroyed) return resolve();
    pipe.once("close", resolve);
    const check = (): void => {
      if (pipe.isPaused() || pipe.readableLength > 0)
        idle.refresh(); // its reader is slow
      else resolve();
    };
    const idle = setTimeout(check, idleMs);
    pipe.on("data", () => idle.refresh());
  });
}

/** Returns an exit code as a shell does: 127 for a command that is missing or has invalid arguments, otherwise 126. */
function describeStartError(error: unknown) {
  const startError = readErrno(error) ?? "EINVAL";
  return { exitCode: startError === "ENOENT" || startError === "EINVAL" ? 127 : 126, startError };
}

/** Signals whose default action writes a core file, which would replace the command's own. */
const coreSignals: readonly string[] = [
  ...["SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV", "SIGXCPU", "SIGXFSZ", "SIGSYS"],
];

/**
 * Ends this process like the command: by the same signal, so that a shell stops its loop after Ctrl-C, else with the
 * same exit code. After a signal that writes a core file, with 128 + n.
 */
export function endLike({ exitCode, signal }: Pick<CommandEnd, "exitCode" | "signal">): never {
  // When Node exits, it restores the modes that the terminal had at its start, and so undoes the command's (`stty`).
  for (const descriptor of [0, 1, 2]) quietly(() => closeSync(descriptor));
  if (signal !== undefined && !coreSignals.includes(signal)) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  process.exit(exitCode);
}

/**
 * Opens a file in the user's editor and waits until the editor exits. As in git, `$VISUAL` or else `$EDITOR` is the
 * editor's command line; default: `vi`, on Windows `notepad`. @returns the exit code; undefined if the editor could not
 * be started
 */
export function openInEditor(file: string, env: NodeJS.ProcessEnv): Promise<number | undefined> {
  const isWindows = process.platform === "win32";
  const line = env["VISUAL"] || env["EDITOR"] || (isWindows ? "notepad" : "vi");
  const child = isWindows
    ? spawn(`${line} "${file}"`, { shell: true, stdio: "inherit", env })
    : spawn("/bin/sh", ["-c", `${line} "$1"`, "sh", file], { stdio: "inherit", env });
  return new Promise((resolve) => {
    child.on("error", () => resolve(undefined));
    child.on("close", (code) => resolve(code ?? 1));
  });
}
