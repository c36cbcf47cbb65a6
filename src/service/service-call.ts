import type { HttpReply } from "../core/http-port.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { readRequestId } from "./headers.ts";

/** Facts about a reply other than its data. */
export interface ResponseInfo {
  readonly status: number;
  /** Headers, with names in lower case. The values of a repeated header are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The service's id of the request, for support. */
  readonly requestId?: string;
  /** Rate limit from `x-ratelimit-…` or `ratelimit-…`, unchanged: the API document gives neither limits nor units. */
  readonly rateLimit?: { readonly limit?: number; readonly remaining?: number; readonly reset?: number };
}

/** Call in progress: a promise of the reply's data. `withResponse` also gives the facts about the reply. */
export interface ServiceCall<T> extends Promise<T> {
  /** Resolves to the data, with status, headers, request id and rate limits of the reply. */
  withResponse(): Promise<{ readonly data: T; readonly response: ResponseInfo }>;
}

/** Data of a successful reply, with the reply's status and headers for `withResponse`. */
export interface Answer<T> {
  readonly data: T;
  readonly head: Pick<HttpReply, "status" | "headers">;
}

/** Turns a promise of an answer into a call. */
export function serviceCall<T>(answer: Promise<Answer<T>>): ServiceCall<T> {
  const call = answer.then(({ data }) => data);
  const withResponse = () => {
    call.catch(() => {}); // callers of `withResponse` handle the failure there
    return answer.then(({ data, head }) => ({ data, response: responseInfo(head) }));
  };
  return Object.assign(call, { withResponse });
}

/** Collects the facts from a reply's status and headers. */
function responseInfo({ status, headers }: Answer<unknown>["head"]): ResponseInfo {
  const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) =>
    numberIn(headers[`x-ratelimit-${name}`] ?? headers[`ratelimit-${name}`]),
  );
  const rateLimit = omitUndefined({ limit, remaining, reset });
  const requestId = readRequestId(headers);
  const hasLimits = Object.keys(rateLimit).length > 0;
  return { status, headers, ...omitUndefined({ requestId }), ...(hasLimits && { rateLimit }) };
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : undefined;
}
