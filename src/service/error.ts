import { BeckonError, type FailureReason } from "../core/errors.ts";

interface ServiceErrorOptions {
  readonly hint?: string;
  readonly status?: number;
  /** The service's own id of the request, for its support. */
  readonly requestId?: string;
}

/** A request to the service failed. `code` is the reason; no message holds the key, a full address or a reply's text. */
export class ServiceError extends BeckonError {
  override readonly name = "ServiceError";
  readonly reason: FailureReason;
  readonly status?: number;
  readonly requestId?: string;
  constructor(reason: FailureReason, message: string, { hint, status, requestId }: ServiceErrorOptions = {}) {
    super(reason, message, hint === undefined ? {} : { hint });
    this.reason = reason;
    if (status !== undefined) this.status = status;
    if (requestId !== undefined) this.requestId = requestId;
  }
}
