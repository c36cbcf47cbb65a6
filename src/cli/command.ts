import type { Command } from "commander";
import type { CliContext } from "./context.ts";

/** Runs the code of a command in the context of this command line. What it returns is the exit code. */
export type RunCommand = (code: (context: CliContext) => Promise<number>) => Promise<void>;

/**
 * Declares the arguments, options and subcommands of a command, each with an action that calls `run`. The command comes
 * with its name and description, see `commands/registry.ts`.
 */
export type RegisterCommand = (command: Command, run: RunCommand) => void;
