import type { Command } from "commander";
import type { Colors } from "picocolors/types.js";
import type { InstallEnvironment } from "../core/agent-settings.ts";
import type { Paths } from "../files/paths.ts";

/** A terminal behind one of the output streams. */
export interface OutputTerminal {
  /** Its current width, in cells. */
  columns(): number;
  /** Writes a text as it is, without a line feed. */
  write(text: string): void;
}

/** What a command gets besides its options: files, environment, output. Tests pass their own. */
export interface CliContext {
  readonly paths: Paths;
  /** Home folder, working directory, environment variables, platform. */
  readonly environment: InstallEnvironment;
  /** Writes a text and a line feed to standard output. */
  print(text: string): void;
  /**
   * Waits until the reader of standard output has taken most of what was printed: what it has not yet taken is in
   * memory. Absent where printing waits by itself.
   */
  readonly drained?: (() => Promise<unknown>) | undefined;
  /** Writes a text and a line feed to standard error. */
  printError(text: string): void;
  /** For standard output. */
  readonly colors: Colors;
  /** For standard error. */
  readonly errorColors: Colors;
  /** Absent unless standard output is a terminal; then lines should not be wider than it. */
  readonly terminal?: OutputTerminal | undefined;
  /** Absent unless standard error is a terminal. */
  readonly errorTerminal?: OutputTerminal | undefined;
  /** Current time, Unix milliseconds. Default: the system's clock. */
  readonly now?: (() => number) | undefined;
  /** Waits before a request to the service is sent again. Default: by the system's clock. */
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<unknown>) | undefined;
  /** A signal that aborts on Ctrl-C or SIGTERM, which then no longer end the process by themselves. */
  interruption(): AbortSignal;
}

/** How wide lines for people may be, in cells: as wide as the terminal; without one there is no limit. */
export function lineCells({ terminal }: Pick<CliContext, "terminal">): number {
  return terminal?.columns() ?? Number.POSITIVE_INFINITY;
}

/** Runs the code of a command in the context of this command line. What it returns is the exit code. */
export type RunCommand = (code: (context: CliContext) => Promise<number>) => Promise<void>;

/**
 * Declares the arguments, options and subcommands of a command, each with an action that calls `run`. The command comes
 * with its name and description, see `commands/registry.ts`.
 */
export type RegisterCommand = (command: Command, run: RunCommand) => void;
