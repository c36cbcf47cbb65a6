import type { Colors } from "picocolors/types.js";
import type { SettingsPlace } from "../core/agent-settings.ts";
import type { Paths } from "../core/paths.ts";

/** A terminal that a stream leads to. */
export interface Terminal {
  /** Its width now, in cells. */
  columns(): number;
  /** Writes a text as it is, without a line feed. */
  write(text: string): void;
}

/** What a command has of the world besides its options; tests hand in their own. */
export interface CliContext {
  readonly paths: Paths;
  /** Home folder, working directory, environment, platform. */
  readonly place: SettingsPlace;
  /** Writes a text and a line feed to standard output. */
  print(text: string): void;
  /** Likewise to standard error. */
  printError(text: string): void;
  /** For standard output. */
  readonly colors: Colors;
  /** For standard error. */
  readonly errorColors: Colors;
  /** What standard output leads to, where that is a terminal: there lines should not be longer than it is wide. */
  readonly terminal?: Terminal | undefined;
  /** Likewise of standard error. */
  readonly errorTerminal?: Terminal | undefined;
  /** Unix milliseconds; the system's clock where it is absent. */
  readonly now?: (() => number) | undefined;
  /** Aborts when the user wants the command to end (Ctrl-C). A command that does not ask for it just dies. */
  interruption(): AbortSignal;
}

/** Takes note of the exit code of a command. */
export type Finish = (exitCode: number) => void;
