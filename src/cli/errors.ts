import { BeckonError, readErrno, UsageError } from "../core/errors.ts";
import type { CliContext } from "./context.ts";

/** Exit code after Ctrl-C, by the shell's convention. */
export const interrupted = 130;

/**
 * Prints an error and its hint to standard error. Leaves out the message of an unexpected error, which may contain
 * secrets.
 * @returns the exit code
 */
export function reportError(error: unknown, { printError, errorColors, environment }: CliContext): number {
  printError(`${errorColors.red("beckon:")} ${describeError(error)}`);
  if (error instanceof BeckonError && error.hint !== undefined) printError(`  ${error.hint}`);
  if (environment.env["BECKON_DEBUG"] === "1" && error instanceof Error) printError(readFrames(error));
  return error instanceof UsageError ? 2 : 1;
}

function describeError(error: unknown): string {
  if (error instanceof BeckonError) return error.message;
  const { syscall, path } = error as { syscall?: unknown; path?: unknown };
  if (typeof syscall === "string") {
    return `${readErrno(error)} in ${syscall}${typeof path === "string" ? ` of ${path}` : ""}`;
  }
  const name = error instanceof Error ? error.name : typeof error;
  return `unexpected ${name}. This is a bug in beckon; set BECKON_DEBUG=1 to see where`;
}

function readFrames({ stack = "" }: Error): string {
  return stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n");
}
