import { DeliveryError } from "../core/errors.ts";
import type { Deadline } from "./deadline.ts";
import { AbortError, ConnectionError, RedirectError, ServiceError, TimeoutError } from "./error.ts";
import { repeatHint } from "./reply-error.ts";
import type { PreparedRequest } from "./request.ts";

/** The error for a call that was ended by its deadline or its caller; undefined while neither has happened. */
export function endingError({ url, method, path }: PreparedRequest, { ending }: Deadline): ServiceError | undefined {
  const { origin } = new URL(url);
  const details = { method, path, hint: repeatHint(method) };
  if (ending === "deadline") return new TimeoutError("timeout", `${origin} did not answer in time`, details);
  if (ending === undefined) return undefined;
  return new AbortError("timeout", `the call to ${origin} was aborted by its caller`, details);
}

/** The error for a request that got no reply. */
export function sendError({ url, method, path }: PreparedRequest, error: unknown): ServiceError {
  if (!(error instanceof DeliveryError)) return new ServiceError("bug", `the request to ${new URL(url).origin} failed`);
  const { reason, message, status, hint } = error;
  if (reason === "redirect") {
    const finalAddress = "Set `baseUrl` or `appUrl` to the final address.";
    return new RedirectError(reason, message, { status, method, path, hint: finalAddress });
  }
  const NoReply = reason === "timeout" ? TimeoutError : ConnectionError;
  return new NoReply(reason, message, { method, path, hint: repeatHint(method) ?? hint });
}
