import { omitUndefined } from "./omit-undefined.ts";

/** All reasons why a delivery can fail. Journal, docs and tests use exactly these words. */
export const failureReasons = [
  "auth",
  "rate-limited",
  "rejected",
  "redirect",
  "unavailable",
  "timeout",
  "unsupported",
  "bug",
] as const;
export type FailureReason = (typeof failureReasons)[number];

/** Reasons after which another attempt may succeed. */
export const transientReasons: readonly FailureReason[] = ["rate-limited", "unavailable", "timeout"];

/** Details of an error. */
export interface BeckonErrorOptions {
  /** Advice for the user. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** Base class of beckon's errors. A message says what happened and where, without secrets or event text. */
export abstract class BeckonError extends Error {
  abstract override readonly name: string;
  readonly code: string;
  // Only declared: a field with an initializer would show as `undefined` when the error is printed.
  declare readonly hint?: string;

  constructor(code: string, message: string, { cause, ...details }: BeckonErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    Object.assign(this, omitUndefined(details));
  }
}

/** Error for an invalid command line. The command exits with code 2. */
export class UsageError extends BeckonError {
  override readonly name = "UsageError";
  constructor(message: string, hint: string) {
    super("usage", message, { hint });
  }
}

/** Error for a command that cannot be carried out. The command exits with code 1. */
export class CommandError extends BeckonError {
  override readonly name = "CommandError";
  constructor(message: string, hint: string) {
    super("command", message, { hint });
  }
}

/** Error for a name that nothing has, such as an event's id. The board answers with 404. */
export class UnknownNameError extends CommandError {}

/** Error for hook input that cannot be used. `code` is `input.empty`, `input.too_large`, `input.invalid_json` … */
export class InputError extends BeckonError {
  override readonly name = "InputError";
}

/** Error in the user's configuration. `path` is the place of the error in the file, such as `notifiers.team.url`. */
export class ConfigError extends BeckonError {
  override readonly name = "ConfigError";
  readonly path: string;
  constructor(path: string, message: string, options: BeckonErrorOptions = {}) {
    super("config", message, options);
    this.path = path;
  }
}

interface DeliveryErrorOptions extends BeckonErrorOptions {
  /** Time for which the receiver wants no further messages, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly status?: number | undefined;
  /** First or last lines from a custom program, a module or the receiver. May contain secrets, so it must be masked. */
  readonly said?: string | undefined;
}

/** Error for a failed attempt to deliver a message. */
export class DeliveryError extends BeckonError {
  override readonly name = "DeliveryError";
  readonly reason: FailureReason;
  declare readonly retryAfterMs?: number;
  declare readonly status?: number;
  declare readonly said?: string;
  constructor(reason: FailureReason, message: string, options: DeliveryErrorOptions = {}) {
    super(reason, message, options);
    this.reason = reason;
  }
}

/** Error about a settings file that beckon refused or failed to change. The message begins with `file`, its path. */
export class SettingsError extends BeckonError {
  override readonly name = "SettingsError";
  readonly file: string;
  constructor(code: string, file: string, problem: string, hint = "Nothing was changed.") {
    super(code, `${file}: ${problem}`, { hint });
    this.file = file;
  }
}

/** Runs a function and returns the `SettingsError` that it throws; undefined if it succeeds. @throws any other error */
export async function catchSettingsError(act: () => Promise<unknown>): Promise<SettingsError | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (error instanceof SettingsError) return error;
    throw error;
  }
}

/** Returns the code of a system error, such as `ENOENT`; undefined for any other error. */
export function readErrno(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}

/** Advice for each failure reason, used if a failure has no hint of its own. */
export const failureHints: Readonly<Record<FailureReason, string>> = {
  auth: "Check its address and its secret in the configuration.",
  "rate-limited": "The receiver accepts no more messages for now; try again later.",
  rejected: "The receiver does not accept this message; check the notifier's settings in the configuration.",
  redirect: "Put the new address into the configuration.",
  unavailable: "Can the receiver be reached from this machine? Real events are retried automatically.",
  timeout: "Can the receiver be reached from this machine? Real events are retried automatically.",
  unsupported: "It cannot work on this machine: events skip it. `beckon config remove` removes it.",
  bug: "This is a bug in beckon; please report it.",
};

/** Returns the advice for a journal line that begins with a failure reason: `auth: …`. Undefined for other lines. */
export function hintFor(reason: string): string | undefined {
  const [, word = ""] = /^([a-z-]+):/.exec(reason) ?? [];
  return Object.hasOwn(failureHints, word) ? failureHints[word as FailureReason] : undefined;
}
