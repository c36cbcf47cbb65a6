import type * as z from "zod";
import { serviceUrl } from "./address.ts";
import { checkSpan } from "./days.ts";
import type { Endpoint } from "./endpoint.ts";
import { ArgumentError } from "./error.ts";
import type { PagingRule } from "./paging.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What a caller says about one request. */
export interface Arguments {
  /** Ids in the path. */
  readonly parts?: Fields;
  readonly query?: Fields;
  readonly body?: Fields;
}

export interface Addresses {
  readonly baseUrl: string;
  readonly appUrl?: string | undefined;
}

export interface PreparedRequest {
  readonly url: URL;
  readonly method: Endpoint["method"];
  readonly body?: string;
}

/** Names that differ between the client and the wire. */
const wireNames: Readonly<Record<string, string>> = { groupBy: "group_by" };

/** Arguments that passed `checkArguments`: what goes out. */
export interface Checked {
  readonly parts: Fields;
  readonly query: Fields;
  readonly body?: Fields;
}

/**
 * What a caller says, checked against the interface's limits before anything is sent.
 * @throws {ArgumentError} that names the argument
 */
export function checkArguments(endpoint: Endpoint, given: Arguments, nowMs: number): Checked {
  const query = endpoint.query ? check(endpoint.query, given.query ?? {}) : {};
  if (endpoint.daily) checkSpan(query as { startDate: string; endDate: string }, nowMs);
  const checked = { parts: given.parts ?? {}, query };
  return endpoint.body ? { ...checked, body: check(endpoint.body, given.body ?? {}) } : checked;
}

/**
 * The arguments for one page of a list.
 * @param size items a page, where the caller named no limit
 * @throws {ArgumentError} for a cursor that can be none
 */
export function argumentsOfPage(list: Checked, { parameter }: PagingRule, cursor?: string, size?: number): Checked {
  if (cursor !== undefined && (typeof cursor !== "string" || cursor === "")) {
    throw new ArgumentError(parameter, `\`${parameter}\` must be the cursor of a page`);
  }
  const place = cursor === undefined ? {} : { [parameter]: cursor };
  return { ...list, query: { ...list.query, limit: list.query["limit"] ?? size, ...place } };
}

/**
 * The request of checked arguments.
 * @throws {ArgumentError} for a part of the path that is no id, and where the address is not known
 */
export function requestOf(endpoint: Endpoint, { parts, query, body }: Checked, at: Addresses): PreparedRequest {
  const base = at[endpoint.base];
  if (base === undefined) {
    throw new ArgumentError("appUrl", `${endpoint.name} needs the client's \`appUrl\`, the web application's address`);
  }
  const onWire = Object.entries(query).map(([name, value]) => [wireNames[name] ?? name, value]);
  const url = serviceUrl(base, endpoint.path, parts, Object.fromEntries(onWire));
  const { method } = endpoint;
  return body === undefined ? { url, method } : { url, method, body: JSON.stringify(body) };
}

function check(schema: z.ZodObject, given: Fields): Fields {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue?.code === "unrecognized_keys") {
    const name = issue.keys[0] ?? "";
    throw new ArgumentError(
      [...issue.path, name].join("."),
      `\`${[...issue.path, name].join(".")}\` is not taken here`,
    );
  }
  const name = issue?.path.join(".") || "arguments";
  throw new ArgumentError(name, `\`${name}\` ${messageOf(issue, given)}`);
}

function messageOf(issue: z.core.$ZodIssue | undefined, given: Fields): string {
  const isMissing = issue?.path.length === 1 && given[String(issue.path[0])] === undefined;
  if (isMissing) return "is missing";
  return issue?.message.startsWith("must ") ? issue.message : `is not right: ${issue?.message ?? ""}`;
}
