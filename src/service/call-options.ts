import { isObject } from "../core/json-value.ts";
import { longestTimerMs } from "../text/time.ts";
import { ArgumentError, type ParseError } from "./error.ts";
import { checkHeaders } from "./headers.ts";

/** Place of a row in a list. */
export interface RowPlace {
  /** Cursor of the row's page, for `page(cursor)`; undefined for the first page. */
  readonly cursor: string | undefined;
  /** Position of the row in its page, from 0. */
  readonly index: number;
  /** The row as the service sent it. It may name people. */
  readonly row: unknown;
}

/** Options of one call. */
export interface CallOptions {
  /** Signal that aborts the call, or the loop over a list. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit of the call in milliseconds, instead of the client's. For a list it applies to each page. */
  readonly timeoutMs?: number | undefined;
  /** Number of retries of a GET, instead of the client's. */
  readonly maxRetries?: number | undefined;
  /**
   * Instant, in Unix milliseconds, until which a GET waits if the service answers 429 or has asked for a pause. This
   * time is in addition to `timeoutMs`, and the retries to `maxRetries`. Default: pauses count as part of the call.
   */
  readonly waitUntilMs?: number | undefined;
  /** Headers to send in addition to the client's. They replace client headers of the same name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Query parameters that this client does not know yet, in the API's spelling. */
  readonly extraQuery?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Body fields that this client does not know yet. An object is merged into the body's object of the same name. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  /** Called with each invalid row of a list, which is then left out. If absent, an invalid row fails its page. */
  readonly onInvalidRow?: ((error: ParseError, place: RowPlace) => void) | undefined;
}

/** Largest allowed value of `maxRetries`. */
const maxAllowedRetries = 10;

/**
 * Checks the options of a call, for callers without a type checker.
 * @throws {ArgumentError} that names the option
 */
export function checkCallOptions(options: object): void {
  const { signal, waitUntilMs, onInvalidRow, extraQuery, extraBody, ...others } = options as Readonly<
    Record<string, unknown>
  >;
  const { timeoutMs, maxRetries, headers, ...unknown } = others;
  const [name] = Object.keys(unknown);
  if (name !== undefined) throw new ArgumentError(name, `\`${name}\` is not an option of a call`);
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new ArgumentError("signal", "`signal` must be an AbortSignal");
  }
  if (waitUntilMs !== undefined && !Number.isFinite(waitUntilMs)) {
    throw new ArgumentError("waitUntilMs", "`waitUntilMs` must be Unix milliseconds");
  }
  checkFunction("onInvalidRow", onInvalidRow);
  for (const [name, value] of Object.entries({ extraQuery, extraBody })) {
    if (value === undefined || isObject(value)) continue;
    throw new ArgumentError(name, `\`${name}\` must be an object`);
  }
  checkLimits({ timeoutMs, maxRetries, headers });
}

/** Checks the options that clients and calls share. @throws {ArgumentError} that names the option */
export function checkLimits({ timeoutMs, maxRetries, headers }: Readonly<Record<string, unknown>>): void {
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0 && timeoutMs <= longestTimerMs)) {
    throw new ArgumentError("timeoutMs", `\`timeoutMs\` must be more than 0 and at most ${longestTimerMs}`);
  }
  const isCount = Number.isInteger(maxRetries) && Number(maxRetries) >= 0 && Number(maxRetries) <= maxAllowedRetries;
  if (maxRetries !== undefined && !isCount) {
    throw new ArgumentError("maxRetries", `\`maxRetries\` must be a whole number from 0 to ${maxAllowedRetries}`);
  }
  checkHeaders(headers);
}

/** Checks an optional function. @throws {ArgumentError} if the value is neither absent nor a function */
export function checkFunction(name: string, value: unknown): void {
  if (value === undefined || typeof value === "function") return;
  throw new ArgumentError(name, `\`${name}\` must be a function`);
}
