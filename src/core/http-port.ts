import type { FailureReason } from "./errors.ts";
import { type JsonObject, parseObject } from "./json-value.ts";

/** Most bytes of a reply's body that are read where a request does not say. */
export const defaultReplyBytes = 65_536;

/** A request to an http(s) address. */
export interface HttpRequest {
  readonly url: string;
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends the request. One signal may serve many requests: a port that listens to it stops when its request is over. */
  readonly signal: AbortSignal;
  /** Absolute path of a PEM file of certificates to trust instead of the system's. */
  readonly ca?: string | undefined;
  /** Most bytes of the reply's body to read, default 65,536; the rest is dropped and `truncated` set. */
  readonly maxReplyBytes?: number;
}

/** A reply to an HTTP request, of any status but 3xx. */
export interface HttpReply {
  readonly status: number;
  /** Names in lower case; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Set where the body was longer than `maxReplyBytes` and `body` is only its beginning. */
  readonly truncated?: true;
}

/** Why a receiver did not take a message. Only `said` quotes its reply, which may repeat our text. */
export interface Rejection {
  readonly reason: FailureReason;
  /** Fixed words and codes that follow the origin, e.g. `answered with code 19021 (signature or clock)`. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  /** What the receiver itself said of it, which may be anything: it is masked before anybody sees it. */
  readonly said?: string;
  /** Pause the reply asks for in a form of its own, milliseconds; `Retry-After` and the like are read anyway. */
  readonly retryAfterMs?: number;
}

/** How to tell from a receiver's reply whether it took the message. */
export interface ReplyRules {
  /** The rejection that a reply of any status means; undefined: the status decides. */
  classifyReply?(reply: HttpReply, nowMs: number): Rejection | undefined;
  /**
   * Whether a reply of any status says that nothing is left to do: what the request was to change is gone, or so
   * already.
   */
  isGone?(reply: HttpReply): boolean;
  /** What to do about a rejection, by its reason, where the rejection has no hint of its own. */
  readonly hints?: Readonly<Partial<Record<FailureReason, string>>>;
}

/** HTTP requests; no redirect is followed. */
export interface HttpPort {
  /**
   * Sends one request. Resolves for every status but 3xx.
   * @throws {DeliveryError} `redirect`, `timeout`, `unavailable`
   */
  send(request: HttpRequest): Promise<HttpReply>;
  /**
   * Sends one request, by default a POST of JSON. Resolves only for a 2xx that `classifyReply` does not reject, and for
   * what `isGone` accepts.
   * @throws {DeliveryError} `auth` 401, 403, 404, 410 · `rate-limited` 429 · `rejected` other 4xx · `unavailable` 408,
   * 425, 5xx, network · `timeout` · `redirect`; with `retryAfterMs` where the receiver said when
   */
  post(request: HttpRequest & ReplyRules): Promise<HttpReply>;
}

/** Whether the status of a reply is 2xx. */
export function isSuccess({ status }: Pick<HttpReply, "status">): boolean {
  return status >= 200 && status < 300;
}

/** The body of a reply as a JSON object; undefined if it is anything else. */
export function jsonOf({ body }: Pick<HttpReply, "body">): JsonObject | undefined {
  return parseObject(body);
}
