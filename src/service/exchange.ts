import type { HttpReply } from "../core/http-port.ts";
import { cleanLine } from "../text/clean.ts";
import type { ServiceError } from "./error.ts";
import type { Redact } from "./excerpt.ts";
import { readRequestId } from "./headers.ts";

/** Outgoing request, without the key. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** All headers except `authorization`. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Result of a request: a reply of any status, or an error. */
export interface SentResult {
  readonly request: SentRequest;
  readonly tookMs: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly error?: ServiceError;
}

/** Functions called for every attempt, for logs and metrics. An error in a hook fails the call. */
export interface ExchangeHooks {
  /** Called before each attempt. */
  readonly onRequest?: ((request: SentRequest) => void) | undefined;
  /** Called after each attempt. */
  readonly onResponse?: ((result: SentResult) => void) | undefined;
}

/** Reports a request to the hooks, without the key. Returns a function that reports the request's end. */
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

/**
 * Makes hooks that log one line when an attempt starts and one when it ends. The client never passes the key to hooks.
 * @param print takes a line without its line feed
 */
export function logHooks(print: (line: string) => void): Required<ExchangeHooks> {
  return {
    onRequest: ({ method, url, attempt }) =>
      print(cleanLine(`> ${method} ${url}${attempt === 1 ? "" : ` (attempt ${attempt})`}`)),
    onResponse: ({ status, headers = {}, tookMs, error }) => {
      const id = readRequestId(headers);
      print(cleanLine(`< ${status ?? error?.message} in ${tookMs} ms${id === undefined ? "" : `, request ${id}`}`));
    },
  };
}
