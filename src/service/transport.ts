import { setTimeout as wait } from "node:timers/promises";
import type * as z from "zod";
import { DeliveryError } from "../core/errors.ts";
import type { HttpPort, HttpReply } from "../core/http-port.ts";
import { longestTimerMs } from "../core/longest-timer.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { redactor, secretPlaceholder } from "../core/secret.ts";
import { type Deadline, startDeadline } from "./deadline.ts";
import { type Endpoint, type ItemOf, type ListEndpoint, type QueryOf, type ReplyOf, takesJwt } from "./endpoint.ts";
import {
  AbortError,
  ArgumentError,
  ConnectionError,
  type ParseError,
  RateLimitError,
  RedirectError,
  ServerError,
  ServiceError,
  TimeoutError,
} from "./error.ts";
import { continuationOf, List, type Page } from "./list.ts";
import { readReply } from "./reply.ts";
import { repeatHint } from "./reply-error.ts";
import {
  type Addresses,
  type Arguments,
  argumentsOfPage,
  checkArguments,
  type PreparedRequest,
  requestOf,
} from "./request.ts";

export interface TransportSettings extends Addresses {
  /** Key or JWT. */
  readonly bearer: string;
  /** A JWT is sent only where one is accepted. */
  readonly isJwt: boolean;
  readonly http: HttpPort;
  /** Most milliseconds a call may take, retries and waits included. */
  readonly timeoutMs: number;
  /** Most attempts of a GET; any other request is sent once. */
  readonly attempts: number;
  readonly maxReplyBytes: number;
  /** Absolute path of a PEM file of certificates to trust instead of the system's. */
  readonly ca?: string | undefined;
  /** Unix milliseconds; decides which day is today. */
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, or the walk over a list. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces the client's; for a list it applies to each page. */
  readonly timeoutMs?: number | undefined;
  /**
   * Called with each row of a list that does not match the API, and the row is left out. Without it such a row fails its
   * page.
   */
  readonly onInvalidRow?: ((error: ParseError) => void) | undefined;
}

/** The default pause between attempts. A test's fake clock does not replace `node:timers/promises`. */
export const sleep: TransportSettings["sleep"] = (ms, signal) => wait(ms, undefined, { signal });

/** Sends requests to the service: checks arguments, retries, reads replies. It alone holds the key. */
export class Transport {
  readonly #settings: TransportSettings;
  readonly #redact: (text: string) => string;

  constructor(settings: TransportSettings) {
    this.#settings = settings;
    this.#redact = bearerRedactor(settings.bearer);
  }

  /**
   * Makes one call, with retries.
   * @throws {ServiceError}
   */
  async call<E extends Endpoint>(endpoint: E, args: Arguments, options: CallOptions = {}): Promise<ReplyOf<E>> {
    return await this.#request(endpoint, checkArguments(endpoint, args, this.#settings.now()), options);
  }

  /** A list, of which nothing is requested yet. Its arguments are checked once, with the first page. */
  list<E extends ListEndpoint>(
    endpoint: E,
    query: QueryOf<E>,
    options: CallOptions = {},
    ids: Readonly<Record<string, string>> = {},
  ): List<ItemOf<E>, ReplyOf<E>> {
    const { paging, items: field } = endpoint;
    let checked: Arguments | undefined;
    const load = async (cursor?: string, size?: number): Promise<Page<ItemOf<E>, ReplyOf<E>>> => {
      checked ??= checkArguments(endpoint, { ids, query }, this.#settings.now());
      const asked = argumentsOfPage(checked, paging, cursor, size);
      const reply = (await this.#request(endpoint, asked, options)) as Record<string, unknown>;
      const items = reply[field] as ItemOf<E>[];
      const at = { query: asked.query, lastDay: checked.query?.["endDate"], cursor };
      return { ...reply, items, ...continuationOf(paging, reply, items, at) } as Page<ItemOf<E>, ReplyOf<E>>;
    };
    // A caller without a type checker may leave out the query; `checkArguments` then says what is missing.
    const given = (query ?? {}) as Readonly<Record<string, unknown>>;
    const start = paging.parameter === "startDate" ? undefined : (given[paging.parameter] as string | undefined);
    const walkSize = paging.parameter === "startAfter" || given["limit"] !== undefined ? undefined : paging.walkSize;
    return new List(load, paging, start, walkSize);
  }

  async #request<E extends Endpoint>(endpoint: E, checked: Arguments, options: CallOptions): Promise<ReplyOf<E>> {
    const request = requestOf(endpoint, checked, this.#settings);
    if (this.#settings.isJwt && !takesJwt(endpoint)) {
      throw new ArgumentError("jwt", `${endpoint.name} does not accept a \`jwt\`, only an \`apiKey\``);
    }
    const deadline = startDeadline(checkTimeout(options.timeoutMs ?? this.#settings.timeoutMs), options.signal);
    try {
      return await this.#sendWithRetries(endpoint, request, deadline, options.onInvalidRow);
    } finally {
      deadline.release();
    }
  }

  async #sendWithRetries<E extends Endpoint>(
    endpoint: E,
    request: PreparedRequest,
    deadline: Deadline,
    onInvalidRow: CallOptions["onInvalidRow"],
  ): Promise<ReplyOf<E>> {
    const attempts = endpoint.method === "GET" ? this.#settings.attempts : 1;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const reply = await this.#send(request, deadline);
        return this.#read(endpoint, request, reply, onInvalidRow);
      } catch (error) {
        const waitMs = attempt < attempts ? retryWaitMs(error, attempt) : undefined;
        if (waitMs === undefined || waitMs >= deadline.leftMs()) throw error;
        await this.#settings.sleep(waitMs, deadline.signal).catch(() => {
          throw endingError(request, deadline) ?? error;
        });
      }
    }
  }

  async #send(request: PreparedRequest, deadline: Deadline): Promise<HttpReply> {
    const { url, method, body } = request;
    const { bearer, http, maxReplyBytes, ca } = this.#settings;
    const { signal } = deadline;
    const headers = {
      accept: "application/json",
      authorization: `Bearer ${bearer}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const message = { url: url.href, method, headers, signal, maxReplyBytes, ...omitUndefined({ body, ca }) };
    return await http.send(message).catch((error: unknown) => {
      throw endingError(request, deadline) ?? sendError(request, error);
    });
  }

  #read<E extends Endpoint>(
    { reply: schema, roles, items }: E,
    { url: { origin }, method, path }: PreparedRequest,
    reply: HttpReply,
    onInvalidRow: CallOptions["onInvalidRow"],
  ): ReplyOf<E> {
    const { appUrl, now } = this.#settings;
    const context = { origin, method, path, redact: this.#redact, roles, appUrl, nowMs: now() };
    const rows = items && onInvalidRow && { field: items, onInvalidRow };
    return readReply(schema, reply, context, rows || undefined) as z.output<E["reply"]>;
  }
}

/** The error for a call that was ended by its deadline or its caller; undefined while neither has happened. */
function endingError({ url, method, path }: PreparedRequest, { ending }: Deadline): ServiceError | undefined {
  const details = { method, path, hint: repeatHint(method) };
  if (ending() === "deadline") return new TimeoutError("timeout", `${url.origin} did not answer in time`, details);
  if (ending() === undefined) return undefined;
  return new AbortError("timeout", `the call to ${url.origin} was aborted by its caller`, details);
}

/** The error for a request that got no reply. */
function sendError({ url, method, path }: PreparedRequest, error: unknown): ServiceError {
  if (!(error instanceof DeliveryError)) return new ServiceError("bug", `the request to ${url.origin} failed`);
  const { reason, message, status, hint } = error;
  if (reason === "redirect") {
    const finalAddress = "Set `baseUrl` or `appUrl` to the final address.";
    return new RedirectError(reason, message, { status, method, path, hint: finalAddress });
  }
  const NoReply = reason === "timeout" ? TimeoutError : ConnectionError;
  return new NoReply(reason, message, { method, path, hint: repeatHint(method) ?? hint });
}

function checkTimeout(timeoutMs: number): number {
  if (timeoutMs > 0 && timeoutMs <= longestTimerMs) return timeoutMs;
  throw new ArgumentError("timeoutMs", `\`timeoutMs\` must be more than 0 and at most ${longestTimerMs}`);
}

const firstWaitMs = 500;

/**
 * How long to wait before a GET is sent again: what the service says, else 0.5 s, 1 s, 2 s …; undefined for a failure
 * that would only repeat itself. Only for GET: any other request could take effect twice.
 * @param attempt attempts made so far, 1 or more
 */
function retryWaitMs(error: unknown, attempt: number): number | undefined {
  const isPassing = error instanceof RateLimitError || error instanceof ServerError || error instanceof ConnectionError;
  return isPassing ? (error.retryAfterMs ?? firstWaitMs * 2 ** (attempt - 1)) : undefined;
}

/** Shortest key that `redactor` replaces; a shorter one could be part of any word. */
const minRedactedChars = 6;

/**
 * Removes a key or JWT from texts in every form in which it could come back: as it is, with `Bearer`, and quoted as in
 * JSON. A text that contains a very short one is replaced as a whole.
 */
function bearerRedactor(bearer: string): (text: string) => string {
  if (bearer.length < minRedactedChars) return (text) => (text.includes(bearer) ? secretPlaceholder : text);
  return redactor([bearer, `Bearer ${bearer}`, JSON.stringify(bearer).slice(1, -1)]);
}
