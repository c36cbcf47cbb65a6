import type { HttpReply } from "../core/http-port.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { requestIdOf } from "./headers.ts";

/** What is known of a reply besides its data. */
export interface ResponseInfo {
  readonly status: number;
  /** Names in lower case; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The service's id of the request, for its support. */
  readonly requestId?: string;
  /**
   * From `x-ratelimit-…` or `ratelimit-…`, as the service sends it: its API document names neither limits nor units.
   */
  readonly rateLimit?: { readonly limit?: number; readonly remaining?: number; readonly reset?: number };
}

/** A call under way: a promise of the data, and on request of the response as well. */
export interface ServiceCall<T> extends Promise<T> {
  /** The data, with status, headers, request id and rate limits of the reply that had it. */
  withResponse(): Promise<{ readonly data: T; readonly response: ResponseInfo }>;
}

/** What a reply of success says, and its head, which `withResponse` reads. */
export interface Answer<T> {
  readonly data: T;
  readonly head: Pick<HttpReply, "status" | "headers">;
}

/** The call that a promise of an answer stands for. */
export function serviceCall<T>(answer: Promise<Answer<T>>): ServiceCall<T> {
  const call = answer.then(({ data }) => data);
  const withResponse = () => {
    call.catch(() => {}); // who asks for the response handles the failure there
    return answer.then(({ data, head }) => ({ data, response: responseInfo(head) }));
  };
  return Object.assign(call, { withResponse });
}

/** What a reply says of itself. */
function responseInfo({ status, headers }: Answer<unknown>["head"]): ResponseInfo {
  const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) =>
    numberIn(headers[`x-ratelimit-${name}`] ?? headers[`ratelimit-${name}`]),
  );
  const rateLimit = omitUndefined({ limit, remaining, reset });
  const requestId = requestIdOf(headers);
  const hasLimits = Object.keys(rateLimit).length > 0;
  return { status, headers, ...omitUndefined({ requestId }), ...(hasLimits && { rateLimit }) };
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : undefined;
}
