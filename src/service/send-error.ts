import { DeliveryError } from "../core/errors.ts";
import type { Deadline } from "./deadline.ts";
import { AbortError, ConnectionError, RedirectError, ServiceError, TimeoutError } from "./error.ts";
import type { PreparedRequest } from "./request.ts";

/** For requests that change something; a GET needs no such word. */
const maybeDone = { hint: "It may have been carried out: look before you repeat it." };
const moreFor = (method: string): { hint?: string } => (method === "GET" ? {} : maybeDone);

/** The error of a call that its deadline or its caller ended; undefined for one that still may run. */
export function endingError({ url, method }: PreparedRequest, { ending }: Deadline): ServiceError | undefined {
  const more = moreFor(method);
  if (ending() === "deadline") return new TimeoutError("timeout", `${url.origin} did not answer in time`, more);
  if (ending() === "caller")
    return new AbortError("timeout", `the call to ${url.origin} was ended by its caller`, more);
  return undefined;
}

/** The error of a request to which no reply came. */
export function sendError({ url, method }: PreparedRequest, error: unknown): ServiceError {
  if (!(error instanceof DeliveryError)) return new ServiceError("bug", `asking ${url.origin} failed`);
  if (error.reason === "redirect") {
    const hint = "Put the final address into `baseUrl` or `appUrl`.";
    const status = error.status === undefined ? {} : { status: error.status };
    return new RedirectError("redirect", error.message, { ...status, hint });
  }
  if (error.reason === "timeout") return new TimeoutError("timeout", error.message, moreFor(method));
  return new ConnectionError(error.reason, error.message, moreFor(method));
}
