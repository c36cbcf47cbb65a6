import type * as z from "zod";
import { describeIssue } from "../core/issue-words.ts";
import { isObject } from "../core/json-value.ts";
import { isDay } from "../text/time.ts";
import { servicePath, serviceUrl, withSearch } from "./address.ts";
import { checkSpan, daysAfter } from "./arguments.ts";
import type { CallOptions } from "./call-options.ts";
import type { Endpoint } from "./endpoint.ts";
import { ArgumentError } from "./error.ts";
import type { PagingRule } from "./paging.ts";

type Fields = Readonly<Record<string, unknown>>;
/** Days as `YYYY-MM-DD`, both inclusive. */
type Span = { readonly startDate: string; readonly endDate: string };

/** Arguments of one request, in the caller's spelling. */
export interface Arguments {
  /** Ids in the path, by name. */
  readonly ids?: Fields;
  readonly query?: Fields;
  readonly body?: Fields;
}

export interface Addresses {
  readonly baseUrl: string;
  readonly appUrl?: string | undefined;
}

/** Methods of requests to unknown paths. */
export type RawMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Query, body and address of a request to an unknown path. */
export interface RawArguments {
  /** Parameters in the API's spelling; undefined values are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Body, sent as JSON. */
  readonly body?: unknown;
  /** Base address of the path; default: `baseUrl`. */
  readonly base?: "baseUrl" | "appUrl";
}

export interface PreparedRequest {
  readonly url: string;
  /** Path below the service's address. */
  readonly path: string;
  readonly method: RawMethod;
  readonly body?: string;
}

/** Converts the names of query parameters to the API's spelling. */
export function wireQuery(query: Fields): Fields {
  if (query["groupBy"] === undefined) return query;
  const { groupBy, ...others } = query;
  return { ...others, group_by: groupBy };
}

/**
 * Checks arguments against the API's limits before anything is sent.
 * @throws {ArgumentError} for an invalid argument; the error names it
 */
export function checkArguments(endpoint: Endpoint, args: Arguments, nowMs: number): Arguments {
  const query = endpoint.query ? check(endpoint.query, args.query ?? {}) : {};
  if (endpoint.daily) checkSpan(query as Span, nowMs);
  const checked = { ids: args.ids ?? {}, query };
  return endpoint.body ? { ...checked, body: check(endpoint.body, args.body ?? {}) } : checked;
}

/**
 * Builds the query for one page of a list.
 * @param query the whole list's query, checked
 * @param size items per page if the caller set no limit, or days per page
 * @throws {ArgumentError} if the cursor is empty, or, for a list of days, is not one of its days
 */
export function buildPageQuery(query: Fields, { parameter }: PagingRule, cursor?: string, size?: number): Fields {
  if (parameter === "startDate") return { ...query, ...selectPageDays(query as Span, cursor, size) };
  if (cursor !== undefined && (typeof cursor !== "string" || cursor === "")) {
    throw new ArgumentError(parameter, `\`${parameter}\` must be the cursor of a page`);
  }
  const paged = { ...query, limit: query["limit"] ?? size };
  return cursor === undefined ? paged : { ...paged, [parameter]: cursor };
}

/** Picks the days of a page: `size` days from the cursor on, or all of them. */
function selectPageDays(span: Span, cursor: string = span.startDate, size = Number.POSITIVE_INFINITY): Span {
  if (!isDay(cursor) || cursor < span.startDate || cursor > span.endDate) {
    throw new ArgumentError("startDate", `\`startDate\` of a page must be a day of its list`);
  }
  const endDate = size === Number.POSITIVE_INFINITY ? span.endDate : daysAfter(cursor, size - 1);
  return { startDate: cursor, endDate: endDate < span.endDate ? endDate : span.endDate };
}

/**
 * Builds the request for checked arguments.
 * @throws {ArgumentError} for an invalid id in the path, and if the endpoint's address is not set
 */
export function prepareRequest(
  endpoint: Endpoint,
  { ids = {}, query = {}, body }: Arguments,
  addresses: Addresses,
): PreparedRequest {
  const base = addressFor(endpoint.name, endpoint.base, addresses);
  const path = servicePath(endpoint.path, ids);
  const prepared = { url: serviceUrl(base, path, wireQuery(query)), path, method: endpoint.method };
  return body === undefined ? prepared : { ...prepared, body: JSON.stringify(body) };
}

/**
 * Adds parameters and fields to a request.
 * @throws {ArgumentError} for a parameter that the operation already has, and for a body if the operation has none
 */
export function addExtra(
  request: PreparedRequest,
  { query, body }: Partial<Pick<Endpoint, "query" | "body">>,
  { extraQuery, extraBody }: Pick<CallOptions, "extraQuery" | "extraBody">,
): PreparedRequest {
  if (extraQuery === undefined && extraBody === undefined) return request;
  const known = Object.keys(wireQuery(query?.shape ?? {}));
  const own = Object.keys(extraQuery ?? {}).find((name) => known.includes(name));
  if (own !== undefined) throw new ArgumentError("extraQuery", `\`${own}\` is a parameter of the call itself`);
  const { searchParams } = new URL(request.url);
  const url = withSearch(request.url.replace(/\?.*$/, ""), { ...Object.fromEntries(searchParams), ...extraQuery });
  if (extraBody === undefined) return { ...request, url };
  if (body === undefined) throw new ArgumentError("extraBody", "`extraBody` needs an operation with a body");
  return { ...request, url, body: JSON.stringify(merge(JSON.parse(request.body ?? "{}"), extraBody)) };
}

/** Merges fields into an object, at every depth. */
function merge(into: unknown, from: unknown): unknown {
  if (!isObject(into) || !isObject(from)) return from;
  return {
    ...into,
    ...Object.fromEntries(Object.entries(from).map(([name, value]) => [name, merge(into[name], value)])),
  };
}

/**
 * Builds the request for any path below an address of the service.
 * @throws {ArgumentError} for an invalid method or path, and if the address is not set
 */
export function prepareRawRequest(
  method: RawMethod,
  path: string,
  { query = {}, body, base = "baseUrl" }: RawArguments,
  addresses: Addresses,
): PreparedRequest {
  if (!/^(GET|POST|PUT|PATCH|DELETE)$/.test(method)) {
    throw new ArgumentError("method", "`method` must be GET, POST, PUT, PATCH or DELETE");
  }
  const segments = String(path).split("/");
  const isPlain = /^\/[\x21-\x7e]*$/.test(path) && !/[?#\\]/.test(path);
  if (!isPlain || segments.some((segment) => /^(\.|%2e){1,2}$/i.test(segment))) {
    throw new ArgumentError("path", "`path` must begin with / and have no query, fragment, `.` or `..`");
  }
  const { href: url } = new URL(serviceUrl(addressFor(`${method} ${path}`, base, addresses), path, query));
  return { url, path, method, ...(body !== undefined && { body: JSON.stringify(body) }) };
}

function addressFor(name: string, base: Endpoint["base"], addresses: Addresses): string {
  const address = addresses[base];
  if (address !== undefined) return address;
  throw new ArgumentError("appUrl", `${name} needs the client's \`appUrl\`, the web application's address`);
}

function check(schema: z.ZodObject, args: Fields): Fields {
  const parsed = schema.safeParse(args, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue?.code === "unrecognized_keys") {
    const name = [...issue.path, issue.keys[0] ?? ""].join(".");
    throw new ArgumentError(name, `\`${name}\` is not accepted here`);
  }
  const name = issue?.path.join(".") || "arguments";
  throw new ArgumentError(name, `\`${name}\` ${formatIssue(issue, args)}`);
}

function formatIssue(issue: z.core.$ZodIssue | undefined, args: Fields): string {
  const isMissing = issue?.path.length === 1 && args[String(issue.path[0])] === undefined;
  if (isMissing) return "is missing";
  return issue?.message ?? "is not valid";
}
