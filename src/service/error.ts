import { BeckonError, type FailureReason } from "../core/errors.ts";

/**
 * Details of a failure. The API document shows error bodies only for analytics, and no error statuses for `/api/v0`.
 * The client reads error bodies of all endpoints alike, in all common shapes.
 */
export interface ServiceErrorDetails {
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  readonly status?: number | undefined;
  /** The service's name for the failure, such as `Forbidden`; cleaned, at most 500 characters. */
  readonly title?: string | undefined;
  /** The service's explanation; cleaned, at most 500 characters. */
  readonly detail?: string | undefined;
  /** The service's id of the request, for support. */
  readonly requestId?: string | undefined;
  /** Method of the request. */
  readonly method?: string | undefined;
  /** Path of the request below the service's address, without the query. */
  readonly path?: string | undefined;
  /**
   * The unreadable part of the reply's body, or its beginning: one line, at most 500 characters, without the key and
   * without JSON texts named as secrets.
   */
  readonly excerpt?: string | undefined;
  /** The reply's headers, with names in lower case; without cookies, and without the key. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Set if the reply exceeded `maxReplyBytes`. */
  readonly truncated?: true | undefined;
  /** Pause that the service asks for before the next request. */
  readonly retryAfterMs?: number | undefined;
}

/** Reason that the rest of a list cannot be fetched, although the service reports more. */
export type IncompleteReason = "missing cursor" | "empty cursor" | "repeated cursor" | "repeated page" | "empty pages";

/**
 * Failed request. Base class of all errors of the client, and the class for statuses without their own. `code` is the
 * reason. No field contains the key. Messages name the origin of an address; `path` follows the configured part.
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
  declare readonly headers?: Readonly<Record<string, string>>;
  constructor(reason: FailureReason | IncompleteReason, message: string, details: ServiceErrorDetails = {}) {
    super(reason, message, details);
    this.reason = reason;
  }
}

/** Invalid argument; nothing was sent. `parameter` is its name in the caller's spelling, such as `limit`. */
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

/** 403: the key's role does not allow the request. */
export class PermissionError extends ServiceError {
  override readonly name = "PermissionError";
}

/** 404: the session, message or computer does not exist, or the address is not the service's. */
export class NotFoundError extends ServiceError {
  override readonly name = "NotFoundError";
}

/** 429, even after retries. Limits are undocumented; `retryAfterMs` is set if the service sends it. */
export class RateLimitError extends ServiceError {
  override readonly name = "RateLimitError";
}

/** 5xx, even after retries. */
export class ServerError extends ServiceError {
  override readonly name = "ServerError";
}

/** Deadline passed, including retries. */
export class TimeoutError extends ServiceError {
  override readonly name = "TimeoutError";
}

/** Call ended by the caller's signal. */
export class AbortError extends ServiceError {
  override readonly name = "AbortError";
}

/** No connection, or it broke before the end of the reply. */
export class ConnectionError extends ServiceError {
  override readonly name = "ConnectionError";
}

/** Redirect, which is not followed. */
export class RedirectError extends ServiceError {
  override readonly name = "RedirectError";
}

/**
 * Reply of success that does not match the API; the message says where, `excerpt` shows the place. After a POST or
 * PATCH the hint says that the request may have taken effect.
 */
export class ParseError extends ServiceError {
  override readonly name = "ParseError";
  declare readonly truncated?: true;
}

/**
 * List that ended early: the service reports more, but gives no usable cursor, an earlier page or only empty pages.
 * `rows` has the items received. After a loop, which has seen them all, `rows` has only the first 1,000. `count` is the
 * number of items received, in `pages` pages.
 */
export class IncompleteError extends ServiceError {
  override readonly name = "IncompleteError";
  declare readonly reason: IncompleteReason;
  readonly rows: readonly unknown[];
  readonly count: number;
  readonly pages: number;
  constructor(reason: IncompleteReason, rows: readonly unknown[], pages: number, count: number = rows.length) {
    const received = `${count} ${count === 1 ? "row" : "rows"} came in ${pages} ${pages === 1 ? "page" : "pages"}`;
    const more = reason === "repeated page" ? "there may be more" : "there are more";
    super(reason, `${received}, and ${more}, but the service ${pagingFaults[reason]}`, { hint: incompleteHint });
    this.rows = rows;
    this.count = count;
    this.pages = pages;
  }
}

const pagingFaults: Readonly<Record<IncompleteReason, string>> = {
  "missing cursor": "names no cursor for the next page",
  "empty cursor": "gives an empty cursor for the next page",
  "repeated cursor": "gives the cursor of an earlier page for the next one",
  "repeated page": "sends an earlier page instead of the next one",
  "empty pages": "sends one empty page after another",
};
const incompleteHint = "The rest cannot be fetched; tell the service's support.";
