import type { FailureReason } from "./errors.ts";
import { type JsonObject, parseObject } from "./json-value.ts";

/** Maximum number of bytes of a reply's body that are read by default. */
export const defaultReplyBytes = 65_536;

/** Request to an http(s) address. */
export interface HttpRequest {
  readonly url: string;
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Aborts the request. Several requests may share a signal, so a port must remove its listener after each request. */
  readonly signal: AbortSignal;
  /** Absolute path of a PEM file. Its certificates are trusted instead of the system's. */
  readonly ca?: string | undefined;
  /** Maximum number of bytes read of the decoded body; default: 65,536. The rest is dropped, and `truncated` is set. */
  readonly maxReplyBytes?: number;
}

/** Reply to an HTTP request. The status may be anything except 3xx. */
export interface HttpReply {
  readonly status: number;
  /** Headers with names in lower case; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded body; empty if the content coding is unknown. */
  readonly body: string;
  /** Set if the body was longer than `maxReplyBytes` and was cut. */
  readonly truncated?: true;
  /** Name of the content coding, if it is unknown. */
  readonly unknownCoding?: string;
}

/** Rejection of a message by its receiver. Only `said` quotes the reply, because a reply may repeat the message. */
export interface Rejection {
  readonly reason: FailureReason;
  /**
   * Fixed words and codes, without text from the reply, to print after the receiver's origin: `answered with code 19021
   * (signature or clock)`.
   */
  readonly message: string;
  /** Advice for the user. */
  readonly hint?: string;
  /** Text of the receiver's reply. May contain secrets, so it is masked before it is shown. */
  readonly said?: string;
  /**
   * Pause that the reply asks for in a field that only this receiver uses, milliseconds. `Retry-After` and similar
   * headers are read without this.
   */
  readonly retryAfterMs?: number;
}

/** Rules that tell from a reply whether the receiver accepted the message. */
export interface ReplyRules {
  /** Returns the rejection that a reply of any status contains. If undefined, the status decides. */
  classifyReply?(reply: HttpReply, nowMs: number): Rejection | undefined;
  /** True if a reply of any status means that nothing is left to do: the target is gone or already changed. */
  isGone?(reply: HttpReply): boolean;
  /** Advice by failure reason, for rejections without their own hint. */
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
   * Sends one request, by default a JSON POST. Resolves for a 2xx reply unless `classifyReply` rejects it, and for
   * every reply that `isGone` accepts.
   * @throws {DeliveryError} `auth` 401, 403, 404, 410 · `rate-limited` 429 · `rejected` other 4xx · `unavailable` 408,
   * 425, 5xx, network · `timeout` · `redirect`; with `retryAfterMs` if the receiver named a time
   */
  post(request: HttpRequest & ReplyRules): Promise<HttpReply>;
}

/** True if the status of a reply is 2xx. */
export function isSuccess({ status }: Pick<HttpReply, "status">): boolean {
  return status >= 200 && status < 300;
}

/** Parses a reply's body as a JSON object; undefined if the body is not a JSON object. */
export function parseReply({ body }: Pick<HttpReply, "body">): JsonObject | undefined {
  return parseObject(body);
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/;

/** True if a host name or address always means this machine. An IPv6 address may be in brackets, as in a URL. */
export function isLoopback(host: string): boolean {
  return loopback.test(host);
}
