import { DeliveryError, type FailureReason } from "../core/errors.ts";
import type { HttpReply } from "../core/http-port.ts";
import { at } from "../core/json-value.ts";
import { retryAfterMs } from "../core/retry-after.ts";
import type { Deadline } from "./deadline.ts";
import {
  AbortError,
  AuthenticationError,
  BadRequestError,
  ConnectionError,
  NotFoundError,
  ParseError,
  PermissionError,
  RateLimitError,
  RedirectError,
  ServerError,
  ServiceError,
  type ServiceErrorDetails,
  TimeoutError,
} from "./error.ts";
import { buildExcerpt, foreignText, type Redact } from "./excerpt.ts";
import { readRequestId } from "./headers.ts";
import type { PreparedRequest } from "./request.ts";

/** Request data needed to describe a failure. */
export interface ReplyContext {
  /** URL of the request; an error shows its origin only. */
  readonly url: string;
  readonly method: string;
  /** Path of the request below the service's address. */
  readonly path: string;
  readonly redact: Redact;
  /** Roles the endpoint needs, if documented. */
  readonly roles: readonly string[] | undefined;
  readonly appUrl: string | undefined;
  readonly nowMs: number;
}

/** Returns the hint for a request that may have reached the service; undefined for GET, which changes nothing. */
export function repeatHint(method: string): string | undefined {
  return method === "GET" ? undefined : "It may have taken effect: check before you repeat it.";
}

/** Makes the error for a reply with a status other than 2xx and 3xx. @param fields the body, parsed if it is JSON */
export function statusError(reply: HttpReply, fields: unknown, context: ReplyContext): ServiceError {
  const { status, headers, body } = reply;
  const { title, detail, requestId } = readExplanation(fields, context.redact);
  const [Class, reason, hint] = classifyStatus(status, context, detail !== undefined);
  return new Class(reason, `${new URL(context.url).origin} answered ${status}`, {
    ...requestDetails(reply, context),
    title,
    detail,
    ...(requestId !== undefined && { requestId }),
    excerpt: detail === undefined ? buildExcerpt(body, context.redact) : undefined,
    retryAfterMs: retryAfterMs(headers, context.nowMs),
    hint: status >= 500 || status === 408 ? hints(repeatHint(context.method), hint) : hint,
  });
}

/** Fault of a reply of success. */
interface Unusable {
  /** Its description, after the origin: `sent …` */
  readonly what: string;
  readonly hint: string;
  /** Faulty part of the body; default: its beginning. */
  readonly part?: string;
}

/** Makes the error for a reply of success that cannot be used. */
export function parseError({ what, hint, part }: Unusable, reply: HttpReply, context: ReplyContext): ParseError {
  return new ParseError("rejected", `${new URL(context.url).origin} sent ${what}`, {
    ...requestDetails(reply, context),
    excerpt: buildExcerpt(part ?? reply.body, context.redact),
    truncated: reply.truncated,
    hint: hints(repeatHint(context.method), hint),
  });
}

/** Collects the request details in every error of a reply. */
function requestDetails({ status, headers }: HttpReply, { method, path, redact }: ReplyContext): ServiceErrorDetails {
  const id = readRequestId(headers);
  return { status, method, path: redact(path), requestId: id && (foreignText(id, redact) || undefined) };
}

function hints(...sentences: readonly (string | undefined)[]): string | undefined {
  return sentences.filter(Boolean).join(" ") || undefined;
}

/**
 * Reads the explanation in an error's body, in all common shapes: `{title, detail}`, which is documented for analytics,
 * `{message}`, `{error}`, `{error: {message}}` and `{errors: [{message}]}`.
 */
function readExplanation(fields: unknown, redact: Redact) {
  const text = (...found: readonly unknown[]): string | undefined => {
    const foreign = found.find((candidate) => typeof candidate === "string" && candidate.trim() !== "");
    return foreign === undefined ? undefined : foreignText(foreign as string, redact) || undefined;
  };
  const error = at(fields, "error");
  const first = at(at(fields, "errors"), "0");
  const message = text(at(error, "message"), at(fields, "message"), at(first, "message"), first);
  return {
    title: text(at(fields, "title"), message === undefined ? undefined : error),
    detail: text(at(fields, "detail"), at(first, "detail")) ?? message ?? text(error),
    requestId: text(at(fields, "requestId"), at(fields, "request_id"), at(error, "requestId"), at(error, "request_id")),
  };
}

type ErrorClass = new (...args: ConstructorParameters<typeof ServiceError>) => ServiceError;
type Failure = readonly [ErrorClass, FailureReason, hint?: string];

/**
 * Maps a status other than 2xx and 3xx to a failure and advice.
 * @param isExplained true if the reply has a `detail`
 */
function classifyStatus(status: number, { roles, appUrl, path }: ReplyContext, isExplained: boolean): Failure {
  const page = `${appUrl?.replace(/\/+$/, "") ?? "the service's settings page, "}/settings/api-keys`;
  const role = roles?.join(" or ");
  const needed = role === undefined ? "The key's role is not sufficient" : `This needs the key of a ${role}`;
  const withRole = role === undefined ? "" : `, with the role ${role}`;
  const explained = "`detail` says what the service rejected.";
  const failures: Readonly<Record<number, Failure>> = {
    400: [BadRequestError, "rejected", isExplained ? explained : "The service does not say what it rejected."],
    401: [AuthenticationError, "auth", `The key is missing or invalid; create one at ${page}${withRole}.`],
    403: [PermissionError, "auth", `${needed}; create one at ${page}, or ask someone who has the role.`],
    404: [
      NotFoundError,
      "rejected",
      isExplained ? "Check the ids." : `Is ${path} right, ids and all, and the address?`,
    ],
    408: [ServiceError, "unavailable"],
    429: [RateLimitError, "rate-limited", "Send fewer requests, or try again later."],
  };
  if (status < 500) return failures[status] ?? [ServiceError, "rejected"];
  return [ServerError, "unavailable", "Try again later; give `requestId` to the service's support."];
}

/** Makes the error for a call ended by its deadline or its caller; undefined while neither has happened. */
export function endingError({ url, method, path }: PreparedRequest, { ending }: Deadline): ServiceError | undefined {
  const { origin } = new URL(url);
  const details = { method, path, hint: repeatHint(method) };
  if (ending === "deadline") return new TimeoutError("timeout", `${origin} did not answer in time`, details);
  if (ending === undefined) return undefined;
  return new AbortError("timeout", `the call to ${origin} was aborted by its caller`, details);
}

/** Makes the error for a request without a reply. */
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
