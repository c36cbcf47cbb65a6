import { DeliveryError, type FailureReason } from "../core/errors.ts";
import type { HttpReply } from "../core/http-port.ts";
import { at } from "../core/json-value.ts";
import { retryAfterMs } from "../core/retry-after.ts";
import { durationText } from "../text/time.ts";
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
import { buildExcerpt, foreignHeaders, foreignText, type Redact } from "./excerpt.ts";
import { readRequestId } from "./headers.ts";
import type { PreparedRequest } from "./request.ts";

/** Facts about a request that are needed to describe its failure. */
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
  /** True if the request has ids, which may be wrong. */
  readonly hasIds?: boolean;
  /** True if the request was sent with a JWT. */
  readonly isJwt?: boolean;
  readonly nowMs: number;
  /** Pause that the reply asks for. */
  readonly askedMs?: number | undefined;
}

/** Returns the hint for a request that may have reached the service; undefined for GET, which changes nothing. */
export function repeatHint(method: string): string | undefined {
  return method === "GET" ? undefined : "It may have taken effect: check before you repeat it.";
}

/**
 * Makes the error for a reply with a status other than 2xx and 3xx.
 * @param fields the body, parsed if it is JSON
 */
export function statusError(reply: HttpReply, fields: unknown, context: ReplyContext): ServiceError {
  const { status, headers, body } = reply;
  const { title, detail, requestId } = readExplanation(fields, context.redact);
  const askedMs = retryAfterMs(headers, context.nowMs);
  const [Class, reason, hint] = classifyStatus(status, { ...context, askedMs }, detail !== undefined);
  return new Class(reason, `${new URL(context.url).origin} answered ${status}`, {
    ...requestDetails(reply, context),
    title,
    detail,
    ...(requestId !== undefined && { requestId }),
    excerpt: detail === undefined ? buildExcerpt(body, context.redact) : undefined,
    retryAfterMs: askedMs,
    hint: status >= 500 || status === 408 ? hints(repeatHint(context.method), hint) : hint,
  });
}

/** Fault in a successful reply. */
interface Unusable {
  /** Description of the fault, to follow the address: `sent …`. */
  readonly what: string;
  readonly hint: string;
  /** Faulty part of the body; default: its beginning. */
  readonly part?: string;
}

/** Makes the error for a successful reply that cannot be used. */
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
  const requestId = id && (foreignText(id, redact) || undefined);
  return { status, method, path: redact(path), requestId, headers: foreignHeaders(headers, redact) };
}

function hints(...sentences: readonly (string | undefined)[]): string | undefined {
  return sentences.filter(Boolean).join(" ") || undefined;
}

/**
 * Reads the explanation in an error's body, in all common shapes: `{title, detail}`, which is documented for analytics,
 * `{message}`, `{error}`, `{error: {message}}`, `{errors: [{message}]}`, `{detail: [{msg}]}` and a plain text.
 */
function readExplanation(fields: unknown, redact: Redact) {
  const text = (...found: readonly unknown[]): string | undefined => {
    const foreign = found.map(findText).find((candidate) => candidate !== undefined);
    return foreign === undefined ? undefined : foreignText(foreign, redact) || undefined;
  };
  const [error, title] = [at(fields, "error"), at(fields, "title")];
  const detail = text(at(fields, "detail"), at(fields, "errors", "0", "detail"));
  const message = text(isText(error) ? undefined : error, at(fields, "message"), at(fields, "errors"));
  const isTop = isText(fields) || Array.isArray(fields);
  return {
    title: isText(title) ? text(title) : message === undefined || !isText(error) ? undefined : text(error),
    detail: detail ?? message ?? text(error, at(fields, "error_description"), isTop ? fields : undefined),
    requestId: text(
      ...["requestId", "request_id"].flatMap((name) => [at(fields, name), at(error, name)]).filter(isText),
    ),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/**
 * Finds the text in a part of an error's body: the part itself, its message, or its first item's message. FastAPI also
 * says where the fault is: https://fastapi.tiangolo.com/tutorial/handling-errors/
 */
function findText(part: unknown): string | undefined {
  if (isText(part)) return part;
  if (Array.isArray(part)) return findText(part[0]);
  const found = [at(part, "msg"), at(part, "message"), at(part, "detail")].find(isText);
  const place = at(part, "loc");
  return found !== undefined && Array.isArray(place) && place.length > 0 ? `${found} (${place.join(".")})` : found;
}

type Failure = readonly [typeof ServiceError, FailureReason, hint?: string];

/**
 * Maps a status other than 2xx and 3xx to a failure and advice.
 * @param isExplained true if the reply has a `detail`
 */
function classifyStatus(status: number, context: ReplyContext, isExplained: boolean): Failure {
  const { roles, appUrl, isJwt } = context;
  const page = `${appUrl?.replace(/\/+$/, "") ?? "the service's settings page, "}/settings/api-keys`;
  const role = roles?.join(" or ");
  const needed = role === undefined ? "The key's role is not sufficient" : `This needs the key of a ${role}`;
  const withRole = role === undefined ? "" : `, with the role ${role}`;
  const rejected = isExplained
    ? "`detail` says what the service rejected."
    : "The service does not say what it rejected.";
  const failures: Readonly<Record<number, Failure>> = {
    400: [BadRequestError, "rejected", rejected],
    401: isJwt
      ? [AuthenticationError, "auth", "The JWT is invalid or has expired; get a new one where you got this one."]
      : [AuthenticationError, "auth", `The key is missing or invalid; create one at ${page}${withRole}.`],
    403: isJwt
      ? [PermissionError, "auth", "The role of the JWT's user is not sufficient; ask someone who has the role."]
      : [PermissionError, "auth", `${needed}; create one at ${page}, or ask someone who has the role.`],
    404: [NotFoundError, "rejected", hintForNotFound(context, isExplained)],
    408: [ServiceError, "unavailable"],
    429: [RateLimitError, "rate-limited", adviseRetry(context.askedMs)],
  };
  if (status < 500) return failures[status] ?? [ServiceError, "rejected", rejected];
  return [ServerError, "unavailable", "Try again later; give `requestId` to the service's support."];
}

function hintForNotFound({ path, hasIds }: ReplyContext, isExplained: boolean): string {
  if (isExplained) return hasIds ? "Check the ids." : "Check the path and the address.";
  return hasIds ? `Is ${path} right, ids and all, and the address?` : `Are the path ${path} and the address right?`;
}

/** Makes the error for a call that its deadline or its caller ended; undefined if neither did. */
export function endingError({ url, method, path }: PreparedRequest, { ending }: Deadline): ServiceError | undefined {
  const { origin } = new URL(url);
  const details = { method, path, hint: repeatHint(method) };
  if (ending === "deadline") return new TimeoutError("timeout", `${origin} did not answer in time`, details);
  if (ending === undefined) return undefined;
  return new AbortError("timeout", `the call to ${origin} was aborted by its caller`, details);
}

/** Makes the error for a request that was not sent, because the service asked for a pause that the call has no time for. */
export function pauseError({ url, method, path }: PreparedRequest, askedMs: number): ServiceError {
  const message = `${new URL(url).origin} asked for a pause`;
  return new RateLimitError("rate-limited", message, {
    ...{ method, path, retryAfterMs: askedMs },
    hint: adviseRetry(askedMs),
  });
}

/** Says when to try again after too many requests. */
function adviseRetry(askedMs: number | undefined): string {
  return askedMs === undefined
    ? "Try again in some minutes; the service does not say when."
    : `Try again in ${durationText(askedMs)}.`;
}

/** Party at fault, and advice, by the code of an error without a reply: https://nodejs.org/api/errors.html */
const adviceByCode: Readonly<Record<string, string>> = {
  ENOTFOUND: "The name server does not know this host. Check the address.",
  EAI_AGAIN: "The name server does not answer. Check your network connection.",
  ECONNREFUSED: "The host is there, but no server listens at this port. Check the address.",
  ENETUNREACH: "There is no network. Check your network connection.",
  CERT_HAS_EXPIRED: "The service's certificate has expired. Report it to the service's support.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The certificate is for another host. Check the address, and proxies on the way.",
};

/** Makes the error for a request that got no reply, or a redirect. */
export function sendError({ url, method, path }: PreparedRequest, error: unknown): ServiceError {
  if (!(error instanceof DeliveryError)) return new ServiceError("bug", `the request to ${new URL(url).origin} failed`);
  const { reason, message, status, hint } = error;
  if (reason === "redirect") {
    const finalAddress = "Set `baseUrl` or `appUrl` to the final address.";
    return new RedirectError(reason, message, { status, method, path, hint: finalAddress });
  }
  const NoReply = reason === "timeout" ? TimeoutError : reason === "auth" ? ServiceError : ConnectionError;
  const [, code = ""] = /\((\w+)\)$/.exec(message) ?? [];
  const advice = hints(repeatHint(method), hint ?? adviceByCode[code]);
  return new NoReply(reason, message, { method, path, hint: advice });
}
