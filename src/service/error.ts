import { BeckonError, type BeckonErrorOptions, type FailureReason } from "../core/errors.ts";

/**
 * Details of a failure. The API document shows error bodies only for analytics, and no error statuses for `/api/v0`.
 * The client reads the error bodies of all endpoints in the same way, in all common shapes.
 */
export interface ServiceErrorDetails extends BeckonErrorOptions {
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
   * Unreadable part of the reply's body, or the body's beginning, on one line of at most 500 characters. The key and
   * JSON fields with names of secrets are removed.
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
 * Failed request. Base class of all errors of the client; also used for statuses that have no class of their own.
 * `code` is the reason. No field contains the key. Messages name only the origin of an address; `path` is relative to
 * the configured address.
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

/** Invalid argument, found before anything was sent. `parameter` is the argument's name as the caller spells it. */
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

/** 404: the session, message or computer does not exist, or the configured address is not the service's. */
export class NotFoundError extends ServiceError {
  override readonly name = "NotFoundError";
}

/**
 * 429, even after retries: too many requests. The limits are not documented; `retryAfterMs` is set if the service asks
 * for a pause.
 */
export class RateLimitError extends ServiceError {
  override readonly name = "RateLimitError";
}

/** 5xx, even after retries: the service failed. */
export class ServerError extends ServiceError {
  override readonly name = "ServerError";
}

/** The call, including its retries, took longer than its time limit. */
export class TimeoutError extends ServiceError {
  override readonly name = "TimeoutError";
}

/** The caller's signal aborted the call. */
export class AbortError extends ServiceError {
  override readonly name = "AbortError";
}

/** No connection was made, or the connection broke before the end of the reply. */
export class ConnectionError extends ServiceError {
  override readonly name = "ConnectionError";
}

/** The service answered with a redirect, which is not followed. */
export class RedirectError extends ServiceError {
  override readonly name = "RedirectError";
}

/**
 * Successful reply that does not match the API. The message says where it differs, and `excerpt` shows that part. After
 * a POST or PATCH, the hint says that the request may have taken effect.
 */
export class ParseError extends ServiceError {
  override readonly name = "ParseError";
  declare readonly truncated?: true;
}

/**
 * List that ended early: the service reports more items, but sends no usable cursor, repeats a page, or sends only
 * empty pages. `count` is the number of items received, in `pages` pages. `rows` has these items, but only the first
 * 1,000 if they were read in a loop; printing the error does not show them, because they may name people.
 */
export class IncompleteError extends ServiceError {
  override readonly name = "IncompleteError";
  declare readonly reason: IncompleteReason;
  declare readonly rows: readonly unknown[];
  readonly count: number;
  readonly pages: number;
  constructor(reason: IncompleteReason, rows: readonly unknown[], pages: number, count: number = rows.length) {
    const received = `${count} ${count === 1 ? "row" : "rows"} came in ${pages} ${pages === 1 ? "page" : "pages"}`;
    const more = reason === "repeated page" ? "there may be more" : "there are more";
    super(reason, `${received}, and ${more}, but the service ${pagingFaults[reason]}`, { hint: incompleteHint });
    Object.defineProperty(this, "rows", { value: rows });
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
