import type * as z from "zod";
import { serviceUrl } from "./address.ts";
import { checkSpan } from "./days.ts";
import type { Endpoint } from "./endpoint.ts";
import { ArgumentError } from "./error.ts";

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

/**
 * A request, checked against the interface's limits before anything is sent.
 * @throws {ArgumentError} that names the argument
 */
export function prepareRequest(endpoint: Endpoint, given: Arguments, at: Addresses, nowMs: number): PreparedRequest {
  const base = at[endpoint.base];
  if (base === undefined) {
    throw new ArgumentError("appUrl", `${endpoint.name} needs the client's \`appUrl\`, the web application's address`);
  }
  const query = endpoint.query ? check(endpoint.query, given.query ?? {}) : {};
  if (endpoint.daily) checkSpan(query as { startDate: string; endDate: string }, nowMs);
  const onWire = Object.entries(query).map(([name, value]) => [wireNames[name] ?? name, value]);
  const url = serviceUrl(base, endpoint.path, given.parts ?? {}, Object.fromEntries(onWire));
  const { method } = endpoint;
  if (endpoint.body === undefined) return { url, method };
  return { url, method, body: JSON.stringify(check(endpoint.body, given.body ?? {})) };
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
