/** Why a delivery failed. A closed set: journal, README and tests use exactly these words. */
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

interface BeckonErrorOptions {
  /** What to do about it. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** Base of every error beckon throws. Messages say what, where and what to do, and never hold a secret or event text. */
export abstract class BeckonError extends Error {
  abstract override readonly name: string;
  readonly code: string;
  readonly hint?: string;

  constructor(code: string, message: string, options: BeckonErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    if (options.hint !== undefined) this.hint = options.hint;
  }
}

/** Hook input that cannot be used. `code` is one of `input.empty`, `input.too_large`, `input.invalid_json` … */
export class InputError extends BeckonError {
  override readonly name = "InputError";
}

/** Something wrong in the user's configuration; `path` names the place in the file, e.g. `notifiers.team.url`. */
export class ConfigError extends BeckonError {
  override readonly name = "ConfigError";
  readonly path: string;
  constructor(path: string, message: string, options: BeckonErrorOptions = {}) {
    super("config", message, options);
    this.path = path;
  }
}

interface DeliveryErrorOptions extends BeckonErrorOptions {
  /** Not before so many milliseconds, for everything that goes to this receiver. */
  readonly retryAfterMs?: number;
  readonly status?: number;
}

/** One attempt to deliver failed. */
export class DeliveryError extends BeckonError {
  override readonly name = "DeliveryError";
  readonly reason: FailureReason;
  readonly retryAfterMs?: number;
  readonly status?: number;
  constructor(reason: FailureReason, message: string, options: DeliveryErrorOptions = {}) {
    super(reason, message, options);
    this.reason = reason;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
    if (options.status !== undefined) this.status = options.status;
  }
}

/** An agent's settings file that beckon will not touch, or could not. `file` is its path. */
export class SettingsError extends BeckonError {
  override readonly name = "SettingsError";
  readonly file: string;
  constructor(code: string, file: string, message: string, options: BeckonErrorOptions = {}) {
    super(code, message, options);
    this.file = file;
  }
}

/** The errno word of a system error (`ENOENT`), or undefined. */
export function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}
