import type * as z from "zod";
import type { HttpPort, HttpReply } from "../core/http-port.ts";
import { retryAfterMs } from "../core/retry-after.ts";
import { type BearerSource, ServiceKey } from "./bearer.ts";
import type { CallOptions, RowPlace } from "./call-options.ts";
import { Deadline } from "./deadline.ts";
import type { Endpoint } from "./endpoint.ts";
import { AuthenticationError, type ParseError, RateLimitError } from "./error.ts";
import { type ExchangeHooks, observe } from "./exchange.ts";
import { Gate, retryWaitMs } from "./gate.ts";
import { lowerCased } from "./headers.ts";
import { readReply } from "./reply.ts";
import { endingError, pauseError, sendError } from "./reply-error.ts";
import type { Addresses, PreparedRequest } from "./request.ts";
import type { Answer } from "./service-call.ts";

export interface TransportSettings extends Addresses, ExchangeHooks {
  /** Key or JWT, or a function that gets it. */
  readonly bearer: BearerSource;
  /** True for a JWT, which is sent only to operations that accept it. */
  readonly isJwt: boolean;
  readonly http: Pick<HttpPort, "send">;
  /** Time limit of a call in milliseconds, including retries; default: one minute. */
  readonly timeoutMs: number;
  /**
   * Maximum number of retries of a GET after 408, 429, 5xx or a broken connection; default: 2. Other methods are not
   * retried.
   */
  readonly maxRetries: number;
  /** Maximum number of requests at once; others wait for their turn, which does not count as time; default: 4. */
  readonly maxConcurrency: number;
  /** Largest reply that is read, in bytes after decompression; default: 64 MiB. */
  readonly maxReplyBytes: number;
  /** Headers sent with every request, in addition to the client's own. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Headers about the runtime and its HTTP client, which the caller's headers replace. */
  readonly runtimeHeaders?: Readonly<Record<string, string>> | undefined;
  /** Absolute path of a PEM file with certificate authorities to trust instead of the system's. */
  readonly ca?: string | undefined;
  /** Clock in Unix milliseconds, which decides which day is today. */
  readonly now: () => number;
  /** Waits between attempts, until the time has passed or the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Returns a random number from 0 to 1, which spreads retries; default: `Math.random`. */
  readonly random: () => number;
}

/** Parts of an endpoint needed for sending a request and reading its reply. */
export type Target = Pick<Endpoint, "name" | "path" | "reply"> & Partial<Pick<Endpoint, "roles" | "items">>;

/** Call in progress. */
interface Call<T extends Target> {
  readonly target: T;
  readonly request: PreparedRequest;
  readonly options: CallOptions;
  readonly deadline: Deadline;
  /** Cursor of the requested page. */
  readonly cursor?: string | undefined;
}

/** Sends prepared requests, retries them, and reads their replies. No other part of the client has the key. */
export class Sender {
  readonly #settings: TransportSettings;
  readonly #bearer: ServiceKey;
  readonly #gate: Gate;
  /** Headers sent with every request, in addition to the key. */
  readonly #headers: Readonly<Record<string, string>>;

  constructor(settings: TransportSettings) {
    this.#settings = settings;
    this.#bearer = new ServiceKey(settings.isJwt ? "jwt" : "apiKey", settings.bearer);
    this.#gate = new Gate(settings);
    this.#headers = {
      accept: "application/json",
      ...settings.runtimeHeaders,
      ...lowerCased(settings.headers),
    };
  }

  /** Time for which all requests waited for the rate limit, milliseconds. */
  get pausedMs(): number {
    return this.#gate.pausedMs;
  }

  /** Sends a request and retries transient failures. @throws {ServiceError} */
  async send<T extends Target>(
    target: T,
    request: PreparedRequest,
    options: CallOptions,
    cursor?: string,
  ): Promise<Answer<z.output<T["reply"]>>> {
    const patienceMs = Math.max(0, (options.waitUntilMs ?? 0) - this.#settings.now());
    const deadline = new Deadline(options.timeoutMs ?? this.#settings.timeoutMs, options.signal, patienceMs);
    const call = { target, request, options, deadline, cursor };
    try {
      let failure: unknown;
      for (let [attempt, isRenewed] = [1, false]; ; attempt += 1) {
        const key = await this.#untilEnd(call, this.#bearer.get());
        const pauseMs = await this.#untilEnd(call, this.#gate.enter(deadline));
        if (pauseMs !== undefined) throw failure ?? pauseError(request, pauseMs); // the call has no time for the pause
        try {
          const reply = await this.#pass(call, key, attempt);
          return { data: this.#read(call, reply), head: { status: reply.status, headers: reply.headers } };
        } catch (error) {
          failure = error;
          // The service did nothing for a request that it rejected with 401, so any method may be repeated.
          const isRejected = error instanceof AuthenticationError && !isRenewed;
          if (isRejected && (await this.#bearer.canRenew(key))) isRenewed = true;
          else await this.#waitToRetry(call, attempt, error);
        }
      }
    } finally {
      deadline.release();
    }
  }

  /** Waits for a promise. @throws the error for the call's end if the call ends first */
  #untilEnd<Value>({ request, deadline }: Call<Target>, promise: Promise<Value>): Promise<Value> {
    return deadline.limit(promise).catch((error) => {
      throw endingError(request, deadline) ?? error;
    });
  }

  /** Waits until a failed request may be retried; after 429, the gate waits. @throws the failure if it is the last */
  async #waitToRetry(call: Call<Target>, attempt: number, error: unknown): Promise<void> {
    const { random, sleep, maxRetries } = this.#settings;
    const { request, options, deadline } = call;
    const isLimited = error instanceof RateLimitError;
    const attempts =
      isLimited && deadline.isPatient ? Number.POSITIVE_INFINITY : 1 + (options.maxRetries ?? maxRetries);
    if (request.method !== "GET" || attempt >= attempts) throw error;
    if (isLimited) return;
    const waitMs = retryWaitMs(error, attempt, random());
    if (waitMs === undefined || waitMs >= deadline.leftMs()) throw error;
    await this.#untilEnd(call, sleep(waitMs, deadline.signal));
  }

  /** Sends a request that the gate has let in, and leaves the gate. */
  async #pass(call: Call<Target>, key: string, attempt: number): Promise<HttpReply> {
    const { now, random } = this.#settings;
    const { pauses } = this.#gate;
    try {
      const reply = await this.#exchange(call, key, attempt);
      if (reply.status === 429) this.#gate.refuse(pauses, retryAfterMs(reply.headers, now()), random());
      else if (reply.status < 500) this.#gate.accept();
      return reply;
    } finally {
      this.#gate.leave();
    }
  }

  async #exchange(call: Call<Target>, key: string, attempt: number): Promise<HttpReply> {
    const { http, onRequest, onResponse } = this.#settings;
    const message = this.#buildMessage(call, key);
    const observed = (onRequest ?? onResponse) && observe(this.#settings, message, attempt, this.#bearer.redact);
    let reply: HttpReply;
    try {
      reply = await http.send(message);
    } catch (error) {
      const failure = endingError(call.request, call.deadline) ?? sendError(call.request, error);
      observed?.failed(failure);
      throw failure;
    }
    observed?.replied(reply);
    return reply;
  }

  #buildMessage({ request, options, deadline }: Call<Target>, key: string) {
    const { url, method, body } = request;
    const { maxReplyBytes, ca } = this.#settings;
    const type = body === undefined ? undefined : { "content-type": "application/json" };
    const own = { ...type, ...this.#headers, ...(options.headers && lowerCased(options.headers)) };
    const headers = { ...own, authorization: `Bearer ${key}` };
    const message = { url, method, headers, signal: deadline.signal, maxReplyBytes, ca };
    return body === undefined ? message : { ...message, body };
  }

  #read<T extends Target>({ target, request, options, cursor }: Call<T>, reply: HttpReply): z.output<T["reply"]> {
    const { reply: schema, roles, items: field } = target;
    const { url, method, path } = request;
    const { onInvalidRow } = options;
    const { appUrl, isJwt, now } = this.#settings;
    const hasIds = target.path.includes("{") || /Id["=]/.test(url + (request.body ?? ""));
    const context = { url, method, path, redact: this.#bearer.redact, roles, appUrl, hasIds, isJwt, nowMs: now() };
    const onInvalid = (error: ParseError, place: Omit<RowPlace, "cursor">) =>
      onInvalidRow?.(error, { cursor, ...place });
    const rows = field === undefined || onInvalidRow === undefined ? undefined : { field, onInvalidRow: onInvalid };
    return readReply(schema, reply, context, rows) as z.output<T["reply"]>;
  }
}
