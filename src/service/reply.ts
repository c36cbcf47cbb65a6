import * as z from "zod";
import { toDotPath } from "zod/v4/core";
import type { HttpReply } from "../core/http-port.ts";
import { describeIssue } from "../core/issue-words.ts";
import { at, isObject, type JsonObject } from "../core/json-value.ts";
import type { RowPlace } from "./call-options.ts";
import type { ParseError } from "./error.ts";
import { foreignText } from "./excerpt.ts";
import { parseError, type ReplyContext, statusError } from "./reply-error.ts";

/** Rules for rows that do not match the API. */
interface RowRules {
  /** Field of the reply with the rows. */
  readonly field: string;
  /** Called with each invalid row, which is then left out. */
  readonly onInvalidRow: (error: ParseError, place: Omit<RowPlace, "cursor">) => void;
}

/**
 * Reads a reply with status 2xx and checks it with the endpoint's schema. A null in an optional field counts as absent.
 * @param rows rules for leaving out invalid rows; without them, an invalid row makes the reply invalid
 * @throws {ServiceError} `ParseError` for an invalid reply; for any other status, the subclass for that status
 */
export function readReply<Schema extends z.ZodType>(
  schema: Schema,
  reply: HttpReply,
  context: ReplyContext,
  rows?: RowRules,
): z.output<Schema> {
  if (reply.status < 200 || reply.status > 299) throw statusError(reply, parseJson(reply.body), context);
  const value = requireJson(reply, context);
  const present = dropNulls(schema, value);
  const toParseError = (error: z.ZodError): ParseError => mismatch(error, present, reply, context);
  const kept = rows ? withoutInvalidRows(schema, present, rows, toParseError) : present;
  const parsed = schema.safeParse(kept, { error: describeIssue });
  if (parsed.success) return parsed.data;
  throw toParseError(parsed.error);
}

function withoutInvalidRows(
  schema: z.ZodType,
  value: unknown,
  { field, onInvalidRow }: RowRules,
  toError: (error: z.ZodError) => ParseError,
): unknown {
  const list = schema instanceof z.ZodObject ? schema.shape[field] : undefined;
  const rows = at(value, field);
  if (!(list instanceof z.ZodArray) || !Array.isArray(rows)) return value;
  const row = list.element as z.ZodType;
  const kept = rows.filter((item, index) => {
    const { error } = row.safeParse(item, { error: describeIssue });
    if (error === undefined) return true;
    onInvalidRow(
      toError(new z.ZodError(error.issues.map((issue) => ({ ...issue, path: [field, index, ...issue.path] })))),
      { index, row: item },
    );
    return false;
  });
  return { ...(value as object), [field]: kept };
}

function mismatch(error: z.ZodError, value: unknown, reply: HttpReply, context: ReplyContext): ParseError {
  const [issue] = error.issues;
  const path = issue?.path ?? [];
  // The path contains keys from the reply, which are untrusted text.
  const where = foreignText(toDotPath(path), context.redact) || "the top level";
  const what = foreignText(issue?.message ?? "is not valid", context.redact);
  const hint = "The API may have changed. Report it to the service's support, with the request id.";
  const isInRow = path.length > 1 && typeof path[1] === "number";
  const part = isInRow ? JSON.stringify(at(value, String(path[0]), String(path[1]))) : reply.body;
  return parseError({ what: `a reply that does not match the API, at ${where}: ${what}`, hint, part }, reply, context);
}

function requireJson(reply: HttpReply, context: ReplyContext): unknown {
  if (reply.unknownCoding !== undefined) {
    const what = `a reply in the content coding ${foreignText(reply.unknownCoding, context.redact)}`;
    const hint = "The client reads gzip, br and deflate. Check the proxies between here and the service.";
    throw parseError({ what: `${what}, which cannot be decoded`, hint }, reply, context);
  }
  if (reply.truncated) {
    const what = `more than ${new TextEncoder().encode(reply.body).length} bytes`;
    throw parseError({ what, hint: "Ask for fewer rows or days, or raise `maxReplyBytes`." }, reply, context);
  }
  const value = parseJson(reply.body);
  if (value !== undefined) return value;
  if (/^\s*</.test(reply.body)) {
    const hint = "Check that `baseUrl` and `appUrl` are the service's addresses.";
    throw parseError({ what: "a web page instead of JSON", hint }, reply, context);
  }
  const what = reply.body.trim() === "" ? "an empty reply" : "a reply that is not JSON";
  throw parseError(
    { what, hint: "Try again later, or report it to the service's support, with the request id." },
    reply,
    context,
  );
}

/** Matches the beginning of `"__proto__"` in each way that JSON can spell it. */
const protoKey = /"(?:_|\\u005f){2}(?:p|\\u0070)/i;

/**
 * Parses a JSON text; undefined if malformed. Drops fields named `__proto__` at every depth: the API has none, and code
 * that copies fields one by one would replace an object's prototype.
 */
function parseJson(body: string): unknown {
  const text = body.startsWith("\ufeff") ? body.slice(1) : body; // some servers send a byte-order mark, and `fetch` accepts it
  try {
    // A reviver slows parsing down several times, so only texts that need it get it. The expression is slower than a
    // search for its fixed part, and V8 searches for up to six characters four times faster than for more.
    const isSuspect = text.includes("proto_") || text.includes("\\u00");
    return isSuspect && protoKey.test(text)
      ? JSON.parse(text, (name, value) => (name === "__proto__" ? undefined : value))
      : JSON.parse(text);
  } catch {
    // The error would quote the body.
    return undefined;
  }
}

/** Parts of a schema. The schema's `type` decides which of them exist. */
type Definition = Pick<z.core.$ZodTypeDef, "type"> &
  Readonly<Record<"innerType" | "element" | "valueType", z.core.$ZodType>> & { readonly shape: z.core.$ZodShape };

/**
 * Drops optional fields that are null, at every depth, because the service sends null for an absent value. Keeps nulls
 * that the schema allows, and nulls in required fields, which the schema rejects.
 */
export function dropNulls(schema: z.core.$ZodType, value: unknown): unknown {
  const { type, innerType, element, valueType, shape } = schema._zod.def as unknown as Definition;
  if (type === "optional" || type === "nullable") return dropNulls(innerType, value);
  if (type === "array") return Array.isArray(value) ? value.map((item) => dropNulls(element, item)) : value;
  if (!isObject(value)) return value;
  if (type === "record") return mapFields(value, (_, inner) => dropNulls(valueType, inner));
  if (type !== "object") return value;
  return mapFields(value, (name, inner) => {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field === undefined) return inner;
    return inner === null && isOptionalOnly(field) ? undefined : dropNulls(field, inner);
  });
}

/** Maps the values of an object's fields. Leaves out fields whose new value is undefined. */
function mapFields(fields: JsonObject, change: (name: string, value: unknown) => unknown): JsonObject {
  const changed = Object.entries(fields).map(([name, value]) => [name, change(name, value)] as const);
  return Object.fromEntries(changed.filter(([, value]) => value !== undefined));
}

/** Tells if a field may be absent but not null. */
function isOptionalOnly({ _zod }: z.core.$ZodType): boolean {
  const { type, innerType } = _zod.def as unknown as Definition;
  return type === "optional" && innerType._zod.def.type !== "nullable";
}
