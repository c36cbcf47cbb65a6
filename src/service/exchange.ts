import type { HttpReply } from "../core/http-port.ts";
import type { ServiceError } from "./error.ts";
import type { Redact } from "./excerpt.ts";

/** A request that goes out, without the key. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** All but `authorization`. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What came of a request: a reply of any status, or the error where none came. */
export interface SentResult {
  readonly request: SentRequest;
  readonly tookMs: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly error?: ServiceError;
}

/** Functions that are told of every attempt, for logs and metrics. What they throw fails the call. */
export interface ExchangeHooks {
  /** Called before each attempt. */
  readonly onRequest?: ((request: SentRequest) => void) | undefined;
  /** Called after each attempt. */
  readonly onResponse?: ((result: SentResult) => void) | undefined;
}

/** Tells the hooks of a request, without the key, and returns what to call with its end. */
export function observe(
  { onRequest, onResponse }: ExchangeHooks,
  { method, url, headers }: Omit<SentRequest, "attempt">,
  attempt: number,
  redact: Redact,
) {
  const { authorization: _, ...shown } = headers;
  const request = { method, url: redact(url), attempt, headers: shown };
  const startedAt = performance.now();
  onRequest?.(request);
  const tookMs = () => Math.round(performance.now() - startedAt);
  return {
    replied({ status, headers }: HttpReply): void {
      onResponse?.({ request, tookMs: tookMs(), status, headers });
    },
    failed(error: ServiceError): void {
      onResponse?.({ request, tookMs: tookMs(), error });
    },
  };
}
