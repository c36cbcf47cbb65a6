import type { Colors } from "picocolors/types.js";
import type { SettingsPlace } from "../core/agent.ts";
import type { Paths } from "../core/paths.ts";

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
  /** Aborts when the user wants the command to end (Ctrl-C). A command that does not ask for it just dies. */
  interruption(): AbortSignal;
}

/** Takes note of the exit code of a command. */
export type Finish = (exitCode: number) => void;
