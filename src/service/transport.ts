import * as z from "zod";
import type { HttpPort, HttpReply } from "../core/http-port.ts";
import { type BearerSource, ServiceKey } from "./bearer.ts";
import { type CallOptions, checkCallOptions } from "./call-options.ts";
import { Deadline } from "./deadline.ts";
import { type Endpoint, type ItemOf, type ListEndpoint, type QueryOf, type ReplyOf, takesJwt } from "./endpoint.ts";
import { ArgumentError, AuthenticationError, type ParseError } from "./error.ts";
import { type ExchangeHooks, observe } from "./exchange.ts";
import { acceptJson, lowerCased } from "./headers.ts";
import { List } from "./list.ts";
import { type Page, readContinuation } from "./paging.ts";
import { readReply } from "./reply.ts";
import { endingError, sendError } from "./reply-error.ts";
import {
  type Addresses,
  type Arguments,
  addExtra,
  buildPageQuery,
  checkArguments,
  type PreparedRequest,
  preparePageRequest,
  prepareRawRequest,
  prepareRequest,
  type RawArguments,
  type RawMethod,
} from "./request.ts";
import { retryWaitMs } from "./retry.ts";
import { type Answer, type ServiceCall, serviceCall } from "./service-call.ts";

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

export type { CallOptions } from "./call-options.ts";

/** Parts of an endpoint needed for sending a request and reading its reply. */
type Target = Pick<Endpoint, "name" | "path" | "reply"> & Partial<Pick<Endpoint, "roles" | "items">>;

/** Call in progress. */
interface Call<T extends Target> {
  readonly target: T;
  readonly request: PreparedRequest;
  readonly options: CallOptions;
  readonly deadline: Deadline;
  /** Cursor of the requested page. */
  readonly cursor?: string | undefined;
}

/**
 * Sends requests to the service: checks arguments, retries and reads replies. No other part of the client has the key.
 */
export class Transport {
  readonly #settings: TransportSettings;
  readonly #bearer: ServiceKey;
  readonly #redact: (text: string) => string;
  /** Headers sent with every request, in addition to the key. */
  readonly #headers: Readonly<Record<string, string>>;

  constructor(settings: TransportSettings) {
    this.#settings = settings;
    this.#bearer = new ServiceKey(settings.isJwt ? "jwt" : "apiKey", settings.bearer);
    this.#redact = this.#bearer.redact;
    this.#headers = { ...acceptJson, ...settings.runtimeHeaders, ...lowerCased(settings.headers) };
  }

  /**
   * Makes one call, with retries.
   * @throws {ServiceError}
   */
  call<E extends Endpoint>(endpoint: E, args: Arguments, options: CallOptions = {}): ServiceCall<ReplyOf<E>> {
    const { now } = this.#settings;
    const prepare = () =>
      addExtra(prepareRequest(endpoint, checkArguments(endpoint, args, now()), this.#settings), endpoint, options);
    return serviceCall(this.#checkAndMake(endpoint, prepare, options));
  }

  /**
   * Makes a call to any path below the service's addresses. The reply may be any JSON.
   * @throws {ServiceError}
   */
  raw(method: RawMethod, path: string, args: RawArguments = {}, options: CallOptions = {}): ServiceCall<unknown> {
    const target = { name: `${method} ${path}`, path: path as Endpoint["path"], reply: z.unknown() };
    return serviceCall(
      this.#checkAndMake(
        target,
        () => addExtra(prepareRawRequest(method, path, args, this.#settings), {}, options),
        options,
      ),
    );
  }

  /** Makes a list without requesting anything yet. Arguments are checked when the first page is requested. */
  list<E extends ListEndpoint>(
    endpoint: E,
    query: QueryOf<E>,
    options: CallOptions = {},
    ids: Readonly<Record<string, string>> = {},
  ): List<ItemOf<E>, ReplyOf<E>> {
    type ListPage = Page<ItemOf<E>, ReplyOf<E>>;
    const { paging, items: field } = endpoint;
    const prepare = () => {
      const { query = {} } = checkArguments(endpoint, { ids, query: givenQuery }, this.#settings.now());
      this.#check(endpoint, options);
      return { query, request: prepareRequest(endpoint, { ids }, this.#settings) };
    };
    let prepared: ReturnType<typeof prepare> | undefined;
    const load = async (cursor?: string, size?: number): Promise<Answer<ListPage>> => {
      prepared ??= prepare();
      const query = buildPageQuery(prepared.query, paging, cursor, size);
      const { data, head } = await this.#make(
        endpoint,
        addExtra(preparePageRequest(prepared.request, query), endpoint, options),
        options,
        cursor,
      );
      const reply = data as Record<string, unknown>;
      const items = reply[field] as ItemOf<E>[];
      const page = { query, lastDay: prepared.query["endDate"], cursor };
      return { data: { ...reply, items, ...readContinuation(paging, reply, items, page) } as ListPage, head };
    };
    // Callers without a type checker may omit the query; `checkArguments` then names the missing part.
    const givenQuery = (query ?? {}) as Readonly<Record<string, unknown>>;
    const start = paging.parameter === "startDate" ? undefined : (givenQuery[paging.parameter] as string | undefined);
    const walkSize =
      paging.parameter === "startAfter" || givenQuery["limit"] !== undefined ? undefined : paging.walkSize;
    const limit = givenQuery["limit"] as number | undefined;
    return new List(load, paging.parameter === "startAfter" ? { ...paging, limit } : paging, start, walkSize);
  }

  async #checkAndMake<T extends Target>(
    target: T,
    prepare: () => PreparedRequest,
    options: CallOptions,
  ): Promise<Answer<z.output<T["reply"]>>> {
    this.#check(target, options);
    const request = prepare();
    return await this.#make(target, request, options);
  }

  /** @throws {ArgumentError} for invalid options, and for a JWT that the endpoint does not accept */
  #check(target: Target, options: CallOptions): void {
    if (this.#settings.isJwt && !takesJwt(target)) {
      throw new ArgumentError("jwt", `${target.name} does not accept a \`jwt\`, only an \`apiKey\``);
    }
    checkCallOptions(options);
  }

  /** Sends a request and retries transient failures. */
  async #make<T extends Target>(
    target: T,
    request: PreparedRequest,
    options: CallOptions,
    cursor?: string,
  ): Promise<Answer<z.output<T["reply"]>>> {
    const deadline = new Deadline(options.timeoutMs ?? this.#settings.timeoutMs, options.signal);
    const call = { target, request, options, deadline, cursor };
    try {
      for (let [attempt, isRenewed] = [1, false]; ; attempt += 1) {
        const key = await deadline.limit(this.#bearer.get()).catch((error) => {
          throw endingError(request, deadline) ?? error;
        });
        try {
          const reply = await this.#send(call, key, attempt);
          return { data: this.#read(call, reply), head: { status: reply.status, headers: reply.headers } };
        } catch (error) {
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

  /** Waits until a failed request may be retried. @throws the failure if it may not be retried */
  async #waitToRetry({ request, options, deadline }: Call<Target>, attempt: number, error: unknown): Promise<void> {
    const { random, maxRetries, sleep } = this.#settings;
    const attempts = request.method === "GET" ? 1 + (options.maxRetries ?? maxRetries) : 1;
    const waitMs = attempt < attempts ? retryWaitMs(error, attempt, random()) : undefined;
    if (waitMs === undefined || waitMs >= deadline.leftMs()) throw error;
    await sleep(waitMs, deadline.signal).catch(() => {
      throw endingError(request, deadline) ?? error;
    });
  }

  async #send(call: Call<Target>, key: string, attempt: number): Promise<HttpReply> {
    const { http, onRequest, onResponse } = this.#settings;
    const message = this.#buildMessage(call, key);
    const observed = (onRequest ?? onResponse) && observe(this.#settings, message, attempt, this.#redact);
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
    const context = { url, method, path, redact: this.#redact, roles, appUrl, hasIds, isJwt, nowMs: now() };
    const onInvalid = (error: ParseError, index: number) => onInvalidRow?.(error, { cursor, index });
    const rows = field === undefined || onInvalidRow === undefined ? undefined : { field, onInvalidRow: onInvalid };
    return readReply(schema, reply, context, rows) as z.output<T["reply"]>;
  }
}
