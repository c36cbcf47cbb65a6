import type { Command } from "commander";
import type { Colors } from "picocolors/types.js";
import type { InstallEnvironment } from "../core/agent-settings.ts";
import type { ClockPort } from "../core/ports.ts";
import type { Paths } from "../files/paths.ts";

/** Terminal that an output stream writes to. */
export interface OutputTerminal {
  /** Returns the current width, in cells. */
  columns(): number;
  /** Returns the current height, in lines; absent if it does not matter. */
  rows?(): number;
  /** Writes a text without a line feed. */
  write(text: string): void;
}

/** Environment variables and file mode mask with which beckon was started. */
export interface Inherited {
  readonly env: NodeJS.ProcessEnv;
  readonly umask: number;
}

/** Files, environment and output for a command. Tests pass a context of their own. */
export interface CliContext {
  readonly paths: Paths;
  /** Home folder, working directory, environment variables, platform. */
  readonly environment: InstallEnvironment;
  /** Writes a text and a line feed to standard output. */
  print(text: string): void;
  /**
   * Rewrites the commands in a text for people to the form that works now. `print` rewrites commands too, but only
   * after the text is folded.
   */
  readonly nameCommands?: ((text: string) => string) | undefined;
  /** Waits until standard output has taken all text, to bound memory. Absent if printing blocks anyway. */
  readonly drained?: (() => Promise<unknown>) | undefined;
  /** Writes a text and a line feed to standard error. */
  printError(text: string): void;
  /** Colours for standard output. */
  readonly colors: Colors;
  /** Colours for standard error. */
  readonly errorColors: Colors;
  /** Terminal of standard output, which limits the width of lines; absent if the output is not a terminal. */
  readonly terminal?: OutputTerminal | undefined;
  /** Terminal of standard error; absent if it is not a terminal. */
  readonly errorTerminal?: OutputTerminal | undefined;
  /** Unchanged environment for the user's own commands. Default: this process's. */
  readonly inherited?: Inherited | undefined;
  /** Returns the current time, Unix milliseconds. */
  now(): number;
  /** Waits before a service request is retried. Default: a timer. */
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<unknown>) | undefined;
  /** Calls a function at an interval, to animate the progress line. Default: the system's clock. */
  readonly every?: ClockPort["every"] | undefined;
  /** Returns a signal that aborts on Ctrl-C or SIGTERM. After this call, these no longer end the process. */
  interruption(): AbortSignal;
}

/** Returns the maximum width of lines for people, in cells; infinite if standard output is not a terminal. */
export function lineCells({ terminal }: Pick<CliContext, "terminal">): number {
  return terminal?.columns() ?? Number.POSITIVE_INFINITY;
}

/** Function that runs a command's code with the context. The code returns the exit code. */
export type RunCommand = (code: (context: CliContext) => Promise<number>) => Promise<void>;

/**
 * Function that declares a command's arguments, options and subcommands, with actions that call `run`. The name and
 * description are set in `commands/registry.ts`.
 */
export type RegisterCommand = (command: Command, run: RunCommand) => void;
