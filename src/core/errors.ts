import { omitUndefined } from "./omit-undefined.ts";

/** Why a delivery failed: a closed set. Journal, docs and tests use exactly these words. */
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

/** Reasons that may pass by themselves: another attempt may succeed. */
export const transientReasons: readonly FailureReason[] = ["rate-limited", "unavailable", "timeout"];

interface BeckonErrorOptions {
  /** What the user can do about it. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/**
 * Base of every error that beckon throws. A message says what happened, where and what to do; it never contains a
 * secret or event text.
 */
export abstract class BeckonError extends Error {
  abstract override readonly name: string;
  readonly code: string;
  // Details are only declared, so that an absent one does not show as `undefined` when the error is printed.
  declare readonly hint?: string;

  constructor(code: string, message: string, { cause, ...details }: BeckonErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    Object.assign(this, omitUndefined(details));
  }
}

/** The command line itself is wrong: exit code 2. */
export class UsageError extends BeckonError {
  override readonly name = "UsageError";
  constructor(message: string, hint: string) {
    super("usage", message, { hint });
  }
}

/** A command cannot do what it was asked for: exit code 1. */
export class CommandError extends BeckonError {
  override readonly name = "CommandError";
  constructor(message: string, hint: string) {
    super("command", message, { hint });
  }
}

/** Hook input that cannot be used. `code` is one of `input.empty`, `input.too_large`, `input.invalid_json` … */
export class InputError extends BeckonError {
  override readonly name = "InputError";
}

/** An error in the user's configuration; `path` is where it is in the document, e.g. `notifiers.team.url`. */
export class ConfigError extends BeckonError {
  override readonly name = "ConfigError";
  readonly path: string;
  constructor(path: string, message: string, options: BeckonErrorOptions = {}) {
    super("config", message, options);
    this.path = path;
  }
}

interface DeliveryErrorOptions extends BeckonErrorOptions {
  /** How long the receiver asks beckon to send it nothing, whatever the event; milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly status?: number | undefined;
  /** What a program or module of the user's said about it, a few lines at most. It may hold anything: mask it. */
  readonly said?: string | undefined;
}

/** A failed attempt to deliver. */
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

/** A settings file that beckon refuses to change, or failed to. `file` is its path, with which the message begins. */
export class SettingsError extends BeckonError {
  override readonly name = "SettingsError";
  readonly file: string;
  constructor(code: string, file: string, problem: string, hint = "Nothing was changed.") {
    super(code, `${file}: ${problem}`, { hint });
    this.file = file;
  }
}

/** The code of a system error, such as `ENOENT`, or undefined. */
export function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}
