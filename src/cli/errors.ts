import { BeckonError, errnoOf } from "../core/errors.ts";
import type { CliContext } from "./context.ts";

/** The exit code of a command that Ctrl-C ended, as a shell says it of a program. */
export const interrupted = 130;

/** The command line itself is wrong: exit code 2. */
export class UsageError extends BeckonError {
  override readonly name = "UsageError";
  constructor(message: string, hint: string) {
    super("usage", message, { hint });
  }
}

/** What a command was asked for cannot be done: exit code 1. */
export class CommandError extends BeckonError {
  override readonly name = "CommandError";
  constructor(message: string, hint: string) {
    super("command", message, { hint });
  }
}

/**
 * Says on standard error what went wrong and what to do about it. The message of an error that nobody foresaw is not
 * shown: it may quote anything.
 * @returns the exit code
 */
export function reportError(error: unknown, { printError, errorColors, place }: CliContext): number {
  printError(`${errorColors.red("beckon:")} ${describeError(error)}`);
  if (error instanceof BeckonError && error.hint !== undefined) printError(`  ${error.hint}`);
  if (place.env["BECKON_DEBUG"] === "1" && error instanceof Error) printError(framesOf(error));
  return error instanceof UsageError ? 2 : 1;
}

function describeError(error: unknown): string {
  if (error instanceof BeckonError) return error.message;
  const { syscall, path } = error as { syscall?: unknown; path?: unknown };
  if (typeof syscall === "string") {
    return `${errnoOf(error)} in ${syscall}${typeof path === "string" ? ` of ${path}` : ""}`;
  }
  const name = error instanceof Error ? error.name : typeof error;
  return `a fault of beckon's own (${name}); BECKON_DEBUG=1 shows where`;
}

function framesOf({ stack = "" }: Error): string {
  return stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n");
}
