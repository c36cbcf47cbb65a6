import * as z from "zod";
import { toDotPath } from "zod/v4/core";
import { cleanLine } from "../core/clean.ts";
import type { HttpReply } from "../core/http-port.ts";
import { retryAfterMs } from "../core/retry-after.ts";
import { ParseError, type ServiceError } from "./error.ts";
import { hintOf, statusErrorOf } from "./status.ts";
import { takesAsIs } from "./matches-schema.ts";

/** Where a reply came from and how to tell of it. */
export interface ReplyContext {
  readonly origin: string;
  /** Takes the key out of a text of the service's. */
  readonly redact: (text: string) => string;
  /** Roles the endpoint needs, where the document names them. */
  readonly roles: readonly string[] | undefined;
  readonly appUrl: string | undefined;
  readonly nowMs: number;
}

/** Most of a text of the service's that an error carries. */
const maxTextChars = 500;
const text = z.string().optional().catch(undefined);
const errorBody = z.object({ title: text, detail: text, requestId: text }).catch({
  title: undefined,
  detail: undefined,
  requestId: undefined,
});

/**
 * The value of a reply with status 2xx.
 * @throws {ServiceError} of the status's class, or `ParseError`
 */
export function readReply<Schema extends z.ZodType>(
  schema: Schema,
  reply: HttpReply,
  context: ReplyContext,
): z.output<Schema> {
  if (reply.status < 200 || reply.status > 299) throw statusError(reply, context);
  const value = jsonOf(reply, context);
  if (takesAsIs(schema, value)) return value as z.output<Schema>;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  // Keys of the reply stand in the path, and with them whatever the other side put there.
  const place = textOf(toDotPath(issue?.path ?? []), context) || "the whole";
  const what = textOf(issue?.message ?? "wrong", context);
  throw unreadable(`a reply that is not the interface's, at ${place}: ${what}`, reply, context);
}

function statusError(reply: HttpReply, context: ReplyContext): ServiceError {
  const body = errorBody.parse(tryJson(reply.body));
  const shown = (given: string | undefined) => (given === undefined ? "" : textOf(given, context)) || undefined;
  const requestId = shown(body.requestId ?? reply.headers["x-request-id"]);
  const [title, detail] = [shown(body.title), shown(body.detail)];
  const wait = retryAfterMs(reply.headers, context.nowMs);
  return statusErrorOf(reply.status, `${context.origin} answered ${reply.status}`, {
    status: reply.status,
    ...(title !== undefined && { title }),
    ...(detail !== undefined && { detail }),
    ...(requestId !== undefined && { requestId }),
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...hintOf(reply.status, { ...context, isExplained: detail !== undefined }),
  });
}

function jsonOf(reply: HttpReply, context: ReplyContext): unknown {
  if (reply.truncated) throw unreadable(`more than ${Buffer.byteLength(reply.body)} bytes`, reply, context);
  const value = tryJson(reply.body);
  if (value !== undefined) return value;
  if (/^\s*</.test(reply.body)) throw unreadable("a web page instead of JSON", reply, context);
  throw unreadable(reply.body.trim() === "" ? "an empty reply" : "a reply that is not JSON", reply, context);
}

function unreadable(what: string, { status }: HttpReply, { origin }: ReplyContext): ParseError {
  return new ParseError("rejected", `${origin} gave ${what}`, {
    status,
    hint: "Check that `baseUrl` and `appUrl` are the service's addresses.",
  });
}

function tryJson(body: string): unknown {
  try {
    return JSON.parse(body.replace(/^\ufeff/, "")); // some servers begin so, and `fetch` takes it
  } catch {
    // The error would quote the body; no JSON text gives undefined.
    return undefined;
  }
}

/** A text of the service's, safe to show. The key goes first: cleaning or cutting could leave a part of it. */
function textOf(given: string, { redact }: ReplyContext): string {
  return redact(cleanLine(redact(given)))
    .slice(0, maxTextChars)
    .toWellFormed();
}
