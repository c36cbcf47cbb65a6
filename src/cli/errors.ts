import { BeckonError, readErrno, UsageError } from "../core/errors.ts";
import { asText, at, parseJson } from "../core/json-value.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { clean } from "../text/clean.ts";
import { fold } from "./columns.ts";
import { type CliContext, lineCells } from "./context.ts";
import { jsonLine } from "./output/json-line.ts";
import { foldText, say } from "./say.ts";

/** Exit code after Ctrl-C, by the shell's convention. */
export const interrupted = 130;

/** Error that ends a command if the user cancels a question, with the exit code of Ctrl-C. */
export class CancelledError extends Error {
  override readonly name = "CancelledError";
}

/** Runs a part of a command that asks. If the user cancels, prints what was done and what was not. */
export async function sayIfCancelled<Result>(
  act: () => Promise<Result>,
  context: Pick<CliContext, "print" | "terminal" | "nameCommands">,
  outcome: () => string,
): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof CancelledError) say(outcome(), context);
    throw error;
  }
}

/** Error as programs see it: the value of `error` in a line of standard error. */
interface ErrorOutput {
  /** `usage`, `command` or a more precise word; a system error's code, such as `EACCES`; `unexpected` for a bug. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/**
 * Prints an error and its hint to standard error, as JSON for programs. Leaves out the message of an unexpected error,
 * because the message may contain secrets.
 * @returns the exit code
 */
export function reportError(
  error: unknown,
  context: Pick<CliContext, "printError" | "errorColors" | "environment" | "terminal" | "nameCommands">,
  isJson = false,
): number {
  const { printError, errorColors, environment } = context;
  const output = describeError(error);
  if (isJson) printError(errorLine(output));
  else {
    const cells = lineCells(context);
    const hints = output.hint?.split("\n").flatMap((line) => foldText(clean(line), context, 0, cells - 2)) ?? [];
    const [first = "", ...more] = fold(`beckon: ${clean(output.message)}`, cells, 2);
    printError(first.replace("beckon:", errorColors.red("beckon:")));
    for (const line of [...more, ...hints.map((hint) => `  ${hint}`)]) printError(line);
    const stack = environment.env["BECKON_DEBUG"] === "1" && error instanceof Error ? error.stack : undefined;
    for (const frame of stack?.match(/^ +at .*$/gm) ?? []) printError(frame);
  }
  return error instanceof UsageError ? 2 : 1;
}

/** Checks a command line for `--json`, even if it is otherwise wrong. */
export function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end < 0 ? undefined : end).includes("--json");
}

/** Formats an error as a line of JSON. */
export function errorLine(error: ErrorOutput): string {
  return jsonLine({ error });
}

/** Returns the message of a line that `errorLine` made; undefined for any other text. */
export function readErrorLine(line: string): string | undefined {
  return asText(at(parseJson(line), "error", "message"));
}

function describeError(error: unknown): ErrorOutput {
  if (error instanceof BeckonError) {
    const { code, message, hint } = error;
    return { code, message, ...omitUndefined({ hint }) };
  }
  const { syscall, path, dest } = error as { syscall?: unknown; path?: unknown; dest?: unknown };
  const code = readErrno(error) ?? "system";
  if (typeof syscall === "string") {
    const place = (typeof path === "string" ? ` of ${path}` : "") + (typeof dest === "string" ? ` to ${dest}` : "");
    const hint = cures[code] ?? (path === undefined ? undefined : "To find the cause: beckon doctor");
    return { code, message: `${code} in ${syscall}${place}`, ...omitUndefined({ hint }) };
  }
  const name = error instanceof Error ? error.name : typeof error;
  return {
    code: "unexpected",
    message: `unexpected ${name}. This is a bug in beckon; set BECKON_DEBUG=1 to see where`,
  };
}

/** Advice for a file that cannot be written, by the system's error code. */
const cures: Readonly<Record<string, string>> = {
  EACCES: "Check the permissions there. To keep beckon's folder elsewhere, set BECKON_HOME.",
  ENOSPC: "The disk is full. Make room on it.",
  EROFS: "Its file system is read-only. To keep beckon's folder elsewhere, set BECKON_HOME.",
};
