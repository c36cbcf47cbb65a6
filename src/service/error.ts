import { BeckonError, type FailureReason } from "../core/errors.ts";

/**
 * What is known about a failure. The API document shows error bodies only for analytics, and no error statuses for
 * `/api/v0`; error bodies of all endpoints are read in the same way, in all shapes that are common.
 */
export interface ServiceErrorDetails {
  readonly hint?: string | undefined;
  readonly status?: number | undefined;
  /** The service's name for the failure, e.g. `Forbidden`; cleaned, at most 500 characters. */
  readonly title?: string | undefined;
  /** The service's explanation; cleaned, at most 500 characters. */
  readonly detail?: string | undefined;
  /** The service's id of the request, for its support. */
  readonly requestId?: string | undefined;
  /** Method of the request. */
  readonly method?: string | undefined;
  /** Path of the request below the service's address, without the query. */
  readonly path?: string | undefined;
  /**
   * The part of the reply's body that could not be read, or its beginning: on one line, at most 500 characters, without
   * the key and without JSON texts whose names say that they are secrets.
   */
  readonly excerpt?: string | undefined;
  /** Set where the reply was longer than `maxReplyBytes`. */
  readonly truncated?: true | undefined;
  /** How long the service asks to wait before the next request. */
  readonly retryAfterMs?: number | undefined;
}

/** Why the rest of a list cannot be fetched, although the service says that there is more. */
export type IncompleteReason = "missing cursor" | "empty cursor" | "repeated cursor";

/**
 * A request to the service failed. Base class of all errors of the client, and used itself for statuses that have no
 * class of their own. `code` is the reason. No field contains the key. Messages name the origin of an address; `path`
 * is what follows the configured part.
 */
export class ServiceError extends BeckonError {
  override readonly name: string = "ServiceError";
  readonly reason: FailureReason | IncompleteReason;
  declare readonly status?: number;
  declare readonly title?: string;
  declare readonly detail?: string;
  declare readonly requestId?: string;
  declare readonly retryAfterMs?: number;
  declare readonly method?: string;
  declare readonly path?: string;
  declare readonly excerpt?: string;
  constructor(reason: FailureReason | IncompleteReason, message: string, details: ServiceErrorDetails = {}) {
    super(reason, message, details);
    this.reason = reason;
  }
}

/** An argument is invalid, and nothing was sent. `parameter` is its name as the caller wrote it, e.g. `limit`. */
export class ArgumentError extends ServiceError {
  override readonly name = "ArgumentError";
  readonly parameter: string;
  constructor(parameter: string, message: string, hint?: string) {
    super("rejected", message, { hint });
    this.parameter = parameter;
  }
}

/** 400: the service rejected the arguments; `detail` says why. */
export class BadRequestError extends ServiceError {
  override readonly name = "BadRequestError";
}

/** 401: the key is missing, wrong, or of a kind that the endpoint does not accept. */
export class AuthenticationError extends ServiceError {
  override readonly name = "AuthenticationError";
}

/** 403: the key's role is not sufficient. */
export class PermissionError extends ServiceError {
  override readonly name = "PermissionError";
}

/** 404: there is no such session, message or computer, or the address is not the service's. */
export class NotFoundError extends ServiceError {
  override readonly name = "NotFoundError";
}

/**
 * 429, still after the retries. The API document names no limits; `retryAfterMs` is set where the service gives one.
 */
export class RateLimitError extends ServiceError {
  override readonly name = "RateLimitError";
}

/** 5xx, still after the retries. */
export class ServerError extends ServiceError {
  override readonly name = "ServerError";
}

/** The call's deadline passed, retries included. */
export class TimeoutError extends ServiceError {
  override readonly name = "TimeoutError";
}

/** The caller's signal ended the call. */
export class AbortError extends ServiceError {
  override readonly name = "AbortError";
}

/** There was no connection, or it broke before the end of the reply. */
export class ConnectionError extends ServiceError {
  override readonly name = "ConnectionError";
}

/** The service answered with a redirect, which is not followed. */
export class RedirectError extends ServiceError {
  override readonly name = "RedirectError";
}

/**
 * A reply with a status of success does not match the API; the message says where, `excerpt` shows it. After a POST or
 * PATCH the hint says that the request may have taken effect.
 */
export class ParseError extends ServiceError {
  override readonly name = "ParseError";
  declare readonly truncated?: true;
}

/**
 * A list ended early: the service says that there is more, and gives no cursor that leads there. `rows` are the ones
 * that came: all of them from `.all()` and `.take()`, the first 1,000 from a loop, which has seen the others. `count`
 * says how many came, in how many `pages`.
 */
export class IncompleteError extends ServiceError {
  override readonly name = "IncompleteError";
  declare readonly reason: IncompleteReason;
  readonly rows: readonly unknown[];
  readonly count: number;
  readonly pages: number;
  constructor(reason: IncompleteReason, rows: readonly unknown[], pages: number, count: number = rows.length) {
    const came = `${count} ${count === 1 ? "row" : "rows"} came in ${pages} ${pages === 1 ? "page" : "pages"}`;
    super(reason, `${came}, and there are more, but the service ${cursorFaults[reason]}`, { hint: incompleteHint });
    this.rows = rows;
    this.count = count;
    this.pages = pages;
  }
}

const cursorFaults: Readonly<Record<IncompleteReason, string>> = {
  "missing cursor": "names no cursor for the next page",
  "empty cursor": "gives an empty cursor for the next page",
  "repeated cursor": "gives the cursor of an earlier page for the next one",
};
const incompleteHint = "The rest cannot be fetched; tell the service's support.";
