import type { FailureReason } from "./errors.ts";

export interface HttpRequest {
  readonly url: string;
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Most bytes of the reply that are read, default 65,536; the rest is dropped and `truncated` set. */
  readonly maxReplyBytes?: number;
}

export interface HttpReply {
  readonly status: number;
  /** Lower-case names; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Set when the body was longer than `maxReplyBytes`: `body` is only its beginning. */
  readonly truncated?: true;
}

/** Why a receiver did not take a message, as its reply says. Words of its reply are not repeated: they may be ours. */
export interface Refusal {
  readonly reason: FailureReason;
  /** Fixed words and codes, e.g. `answered with code 19021 (signature or clock)`. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  /** Where the reply says it in a way of its own; `Retry-After` and its kin are read anyway. */
  readonly retryAfterMs?: number;
}

/** What the replies of a receiver mean. */
export interface Judgement {
  /** What the reply's body says, asked for every status; undefined: the status decides. */
  judge?(reply: HttpReply, nowMs: number): Refusal | undefined;
  /** What to do about a refusal, by its reason, where `judge` does not say. */
  readonly hints?: Readonly<Partial<Record<FailureReason, string>>>;
}

export interface HttpPort {
  /**
   * One request, no redirect followed. Resolves for every status but 3xx.
   * @throws {DeliveryError} `redirect`, `timeout`, `unavailable`
   */
  send(request: HttpRequest): Promise<HttpReply>;
  /**
   * One request, JSON by POST unless it says otherwise. Resolves for 2xx only, and only if `judge` finds no refusal.
   * @throws {DeliveryError} `auth` 401, 403, 404, 410 · `rate-limited` 429 · `rejected` other 4xx · `unavailable` 408,
   * 425, 5xx, network · `timeout` · `redirect`; with `retryAfterMs` where the receiver said when
   */
  post(request: HttpRequest & Judgement): Promise<HttpReply>;
}
