import type { FailureReason } from "./errors.ts";
import { type JsonObject, parseObject } from "./json-value.ts";

/** Most bytes read of a reply's body, unless a request sets another limit. */
export const defaultReplyBytes = 65_536;

/** Request to an http(s) address. */
export interface HttpRequest {
  readonly url: string;
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Aborts the request. One signal may serve many requests, so a port must remove its listener at the end. */
  readonly signal: AbortSignal;
  /** Absolute path of a PEM file of certificates to trust instead of the system's. */
  readonly ca?: string | undefined;
  /** Most bytes of the reply's body to read, after decoding; default 65,536; the rest is dropped and `truncated` set. */
  readonly maxReplyBytes?: number;
}

/** Reply to an HTTP request, with any status but 3xx. */
export interface HttpReply {
  readonly status: number;
  /** Headers with names in lower case; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body without its content coding; empty if the coding is unknown. */
  readonly body: string;
  /** Set if the body was longer than `maxReplyBytes` and was cut. */
  readonly truncated?: true;
  /** Name of the content coding, if it is unknown. */
  readonly unknownCoding?: string;
}

/** Rejection of a message by its receiver. Only `said` quotes the reply, which may repeat our text. */
export interface Rejection {
  readonly reason: FailureReason;
  /** Fixed words and codes that follow the origin, such as `answered with code 19021 (signature or clock)`. */
  readonly message: string;
  /** Advice for the user. */
  readonly hint?: string;
  /** Receiver's own words, which may be anything: masked before anybody sees them. */
  readonly said?: string;
  /** Pause from a special field of the reply, milliseconds; `Retry-After` and similar headers are always read. */
  readonly retryAfterMs?: number;
}

/** Rules that decide from a reply whether the receiver accepted the message. */
export interface ReplyRules {
  /** Returns the rejection in a reply of any status; undefined to decide by the status. */
  classifyReply?(reply: HttpReply, nowMs: number): Rejection | undefined;
  /** True if a reply of any status means that nothing is left to do: the target is gone or already changed. */
  isGone?(reply: HttpReply): boolean;
  /** Advice by the reason of a rejection that has no hint of its own. */
  readonly hints?: Readonly<Partial<Record<FailureReason, string>>>;
}

/** Port for HTTP requests; redirects are not followed. */
export interface HttpPort {
  /**
   * Sends one request. Resolves for every status but 3xx.
   * @throws {DeliveryError} `redirect`, `timeout`, `unavailable`
   */
  send(request: HttpRequest): Promise<HttpReply>;
  /**
   * Sends one request, by default a POST of JSON. Resolves only for a 2xx that `classifyReply` does not reject, or for
   * a reply that `isGone` accepts.
   * @throws {DeliveryError} `auth` 401, 403, 404, 410 · `rate-limited` 429 · `rejected` other 4xx · `unavailable` 408,
   * 425, 5xx, network · `timeout` · `redirect`; with `retryAfterMs` if the receiver named a time
   */
  post(request: HttpRequest & ReplyRules): Promise<HttpReply>;
}

/** True if the status of a reply is 2xx. */
export function isSuccess({ status }: Pick<HttpReply, "status">): boolean {
  return status >= 200 && status < 300;
}

/** Parses a reply's body as a JSON object; undefined if it is anything else. */
export function parseReply({ body }: Pick<HttpReply, "body">): JsonObject | undefined {
  return parseObject(body);
}
