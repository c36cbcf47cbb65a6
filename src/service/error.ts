import { BeckonError, type FailureReason } from "../core/errors.ts";

/**
 * What is known of a failure. The document shows error bodies for analytics alone; those of readiness and of `/api/v0`,
 * and which statuses `/api/v0` fails with, are not shown: whatever looks the same is read the same.
 */
export interface ServiceErrorDetails {
  readonly hint?: string;
  readonly status?: number;
  /** The status phrase and the reason, in the service's own words, cleaned and cut; where its reply had them. */
  readonly title?: string;
  readonly detail?: string;
  /** The service's own id of the request, for its support. */
  readonly requestId?: string;
  /** How long the service asks to be left alone. */
  readonly retryAfterMs?: number;
}

/**
 * A request to the service failed. Base of all errors of the service client, and itself the error of a status without a
 * class of its own. `code` is the reason; nothing in it holds the key or more of an address than its origin.
 */
export class ServiceError extends BeckonError {
  override readonly name: string = "ServiceError";
  readonly reason: FailureReason;
  // Declared only: an absent field is absent, also where the error is printed.
  declare readonly status?: number;
  declare readonly title?: string;
  declare readonly detail?: string;
  declare readonly requestId?: string;
  declare readonly retryAfterMs?: number;
  constructor(reason: FailureReason, message: string, { hint, ...details }: ServiceErrorDetails = {}) {
    super(reason, message, hint === undefined ? {} : { hint });
    this.reason = reason;
    Object.assign(this, details);
  }
}

/** An argument that cannot be right: nothing was sent. `parameter` names it as the caller wrote it, e.g. `limit`. */
export class ArgumentError extends ServiceError {
  override readonly name = "ArgumentError";
  readonly parameter: string;
  constructor(parameter: string, message: string, hint?: string) {
    super("rejected", message, hint === undefined ? {} : { hint });
    this.parameter = parameter;
  }
}

/** 400: the service does not take the arguments; `detail` says why. */
export class BadRequestError extends ServiceError {
  override readonly name = "BadRequestError";
}

/** 401: the key is missing, wrong or of a kind the endpoint does not take. */
export class AuthenticationError extends ServiceError {
  override readonly name = "AuthenticationError";
}

/** 403: the key's role is not enough. */
export class PermissionError extends ServiceError {
  override readonly name = "PermissionError";
}

/** 404: no such session, message or computer, or not behind this address. */
export class NotFoundError extends ServiceError {
  override readonly name = "NotFoundError";
}

/** 429, also after the retries; `retryAfterMs` where the service says when. How much is too much is not shown. */
export class RateLimitError extends ServiceError {
  override readonly name = "RateLimitError";
}

/** 5xx, also after the retries. */
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

/** No connection, or one that broke before the reply's end. */
export class ConnectionError extends ServiceError {
  override readonly name = "ConnectionError";
}

/** The address answers with a redirect, which is not followed. */
export class RedirectError extends ServiceError {
  override readonly name = "RedirectError";
}

/** A reply with a good status that is not what the interface says; the message says where. */
export class ParseError extends ServiceError {
  override readonly name = "ParseError";
}
