import type * as z from "zod";
import { toDotPath } from "zod/v4/core";
import { cleanLine } from "../core/clean.ts";
import type { FailureReason } from "../core/errors.ts";
import type { HttpReply } from "../core/http-port.ts";
import { at } from "../core/json-value.ts";
import { retryAfterMs } from "../core/retry-after.ts";
import {
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  ParseError,
  PermissionError,
  RateLimitError,
  ServerError,
  ServiceError,
} from "./error.ts";
import { matchesSchema } from "./matches-schema.ts";

/** What is needed to describe a failure. */
export interface ReplyContext {
  /** Origin of the request's URL. */
  readonly origin: string;
  /** Removes the key from a text that the service sent. */
  readonly redact: (text: string) => string;
  /** Roles the endpoint needs, where the API document names them. */
  readonly roles: readonly string[] | undefined;
  readonly appUrl: string | undefined;
  readonly nowMs: number;
}

/** Most characters of a text from the service that an error carries. */
const maxTextChars = 500;

/**
 * The value of a reply with status 2xx, checked by the endpoint's schema.
 * @throws {ServiceError} the class of the status for any other, `ParseError` for a reply that does not match the API
 */
export function readReply<Schema extends z.ZodType>(
  schema: Schema,
  reply: HttpReply,
  context: ReplyContext,
): z.output<Schema> {
  if (reply.status < 200 || reply.status > 299) throw statusError(reply, context);
  const value = jsonOf(reply, context);
  if (matchesSchema(schema, value)) return value as z.output<Schema>;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  // The path has keys of the reply in it, which are foreign text.
  const path = textOf(toDotPath(issue?.path ?? []), context) || "the top level";
  const what = textOf(issue?.message ?? "invalid", context);
  throw unreadable(`a reply that does not match the API, at ${path}: ${what}`, reply, context);
}

function statusError({ status, headers, body }: HttpReply, context: ReplyContext): ServiceError {
  const fields = parseJson(body);
  const text = (foreign: unknown) => (typeof foreign === "string" && textOf(foreign, context)) || undefined;
  const detail = text(at(fields, "detail"));
  const [Class, reason, hint] = failureOf(status, context, detail !== undefined);
  return new Class(reason, `${context.origin} answered ${status}`, {
    status,
    title: text(at(fields, "title")),
    detail,
    requestId: text(at(fields, "requestId")) ?? text(headers["x-request-id"]),
    retryAfterMs: retryAfterMs(headers, context.nowMs),
    hint,
  });
}

type ErrorClass = new (...args: ConstructorParameters<typeof ServiceError>) => ServiceError;
type Failure = readonly [ErrorClass, FailureReason, hint?: string];

/**
 * What a status other than 2xx and 3xx means, and what the user can do about it.
 * @param isExplained whether the reply has a `detail`
 */
function failureOf(status: number, { roles, appUrl }: ReplyContext, isExplained: boolean): Failure {
  const page = `${appUrl?.replace(/\/+$/, "") ?? "the service's settings page, "}/settings/api-keys`;
  const role = roles?.join(" or ");
  const needed = role === undefined ? "The key's role is not sufficient" : `This needs the key of a ${role}`;
  const withRole = role === undefined ? "" : `, with the role ${role}`;
  const explained = "`detail` says what the service rejected.";
  const failures: Readonly<Record<number, Failure>> = {
    400: [BadRequestError, "rejected", isExplained ? explained : "The service does not say what it rejected."],
    401: [
      AuthenticationError,
      "auth",
      `The key is missing or invalid; create one at ${page}${withRole}. Only /api/v0 accepts a JWT.`,
    ],
    403: [PermissionError, "auth", `${needed}; create one at ${page}, or ask someone who has the role.`],
    404: [NotFoundError, "rejected", "Check the ids and the address of the service."],
    408: [ServiceError, "unavailable"],
    429: [RateLimitError, "rate-limited", "Send fewer requests, or try again later."],
  };
  if (status < 500) return failures[status] ?? [ServiceError, "rejected"];
  return [ServerError, "unavailable", "Try again later; give `requestId` to the service's support."];
}

function jsonOf(reply: HttpReply, context: ReplyContext): unknown {
  if (reply.truncated) throw unreadable(`more than ${Buffer.byteLength(reply.body)} bytes`, reply, context);
  const value = parseJson(reply.body);
  if (value !== undefined) return value;
  if (/^\s*</.test(reply.body)) throw unreadable("a web page instead of JSON", reply, context);
  throw unreadable(reply.body.trim() === "" ? "an empty reply" : "a reply that is not JSON", reply, context);
}

function unreadable(what: string, { status }: HttpReply, { origin }: ReplyContext): ParseError {
  return new ParseError("rejected", `${origin} sent ${what}`, {
    status,
    hint: "Check that `baseUrl` and `appUrl` are the service's addresses.",
  });
}

/** Every way to write `"__proto__"` in JSON begins so. */
const protoKey = /"(?:_|\\u005f){2}(?:p|\\u0070)/i;

/**
 * The value of a JSON text, undefined if it is not one. Fields named `__proto__` are left out at every depth: nothing in
 * the API is called that, and code that copies fields one by one would replace an object's prototype.
 */
function parseJson(body: string): unknown {
  const text = body.replace(/^\ufeff/, ""); // some servers begin so, and `fetch` takes it
  try {
    // A reviver makes parsing several times slower, so only texts that need it get one.
    return protoKey.test(text)
      ? JSON.parse(text, (name, value) => (name === "__proto__" ? undefined : value))
      : JSON.parse(text);
  } catch {
    // The error would quote the body.
    return undefined;
  }
}

/** A text from the service, safe to show. The key is removed first: cleaning or cutting could leave a part of it. */
function textOf(foreign: string, { redact }: ReplyContext): string {
  return redact(cleanLine(redact(foreign)))
    .slice(0, maxTextChars)
    .toWellFormed();
}
