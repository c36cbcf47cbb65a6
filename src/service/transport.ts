import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import type { HttpPort, HttpReply } from "../core/http-port.ts";
import { redactor } from "../core/secret.ts";
import { secretPlaceholder } from "../text/secret-placeholder.ts";
import { checkCallOptions } from "./call-options.ts";
import { Deadline } from "./deadline.ts";
import { type Endpoint, type ItemOf, type ListEndpoint, type QueryOf, type ReplyOf, takesJwt } from "./endpoint.ts";
import { ArgumentError, type ParseError } from "./error.ts";
import { type ExchangeHooks, observe } from "./exchange.ts";
import { lowerCased, userAgent } from "./headers.ts";
import { List } from "./list.ts";
import { continuationOf, type Page } from "./paging.ts";
import { readReply } from "./reply.ts";
import { endingError, sendError } from "./reply-error.ts";
import {
  type Addresses,
  type Arguments,
  checkArguments,
  type PreparedRequest,
  queryOfPage,
  type RawArguments,
  type RawMethod,
  rawRequestOf,
  requestOf,
  requestOfPage,
} from "./request.ts";
import { retryWaitMs } from "./retry.ts";
import { type Answer, type ServiceCall, serviceCall } from "./service-call.ts";

export interface TransportSettings extends Addresses, ExchangeHooks {
  /** Key or JWT. */
  readonly bearer: string;
  /** A JWT is sent only where one is accepted. */
  readonly isJwt: boolean;
  readonly http: Pick<HttpPort, "send">;
  /** Most milliseconds a call may take, retries and waits included; default a minute. */
  readonly timeoutMs: number;
  /** How often a GET is sent again after 408, 429, 5xx and broken connections; default 2. Others are sent once. */
  readonly maxRetries: number;
  /** Longest reply that is read; default 64 MiB. */
  readonly maxReplyBytes: number;
  /** Sent with every request, besides the client's own headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Absolute path of a PEM file of certificates to trust instead of the system's. */
  readonly ca?: string | undefined;
  /** Unix milliseconds; decides which day is today. */
  readonly now: () => number;
  /** Waits between attempts, until the time is over or the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** From 0 to 1; default `Math.random`. Spreads retries. */
  readonly random: () => number;
}

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, or the walk over a list. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces the client's; for a list it applies to each page. */
  readonly timeoutMs?: number | undefined;
  /** Replaces the client's. */
  readonly maxRetries?: number | undefined;
  /** Added to the client's, or in their place. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Called with each row of a list that does not match the API, and the row is left out. Without it such a row fails
   * its page.
   */
  readonly onInvalidRow?: ((error: ParseError) => void) | undefined;
}

/** The default pause between attempts. A test's fake clock does not replace `node:timers/promises`. */
export const sleep: TransportSettings["sleep"] = (ms, signal) => wait(ms, undefined, { signal });

/** What is needed of an endpoint to send a request to it and read its reply. */
type Target = Pick<Endpoint, "name" | "path" | "reply"> & Partial<Pick<Endpoint, "roles" | "items">>;

/** A call under way. */
interface Call<T extends Target> {
  readonly target: T;
  readonly request: PreparedRequest;
  readonly options: CallOptions;
  readonly deadline: Deadline;
}

/** Sends requests to the service: checks arguments, retries, reads replies. It alone holds the key. */
export class Transport {
  readonly #settings: TransportSettings;
  readonly #redact: (text: string) => string;
  /** Sent with every request, the key among them. */
  readonly #headers: Readonly<Record<string, string>>;

  constructor(settings: TransportSettings) {
    this.#settings = settings;
    this.#redact = bearerRedactor(settings.bearer);
    const authorization = `Bearer ${settings.bearer}`;
    const headers = { accept: "application/json", "user-agent": userAgent, ...lowerCased(settings.headers) };
    this.#headers = { ...headers, authorization };
  }

  /**
   * Makes one call, with retries.
   * @throws {ServiceError}
   */
  call<E extends Endpoint>(endpoint: E, args: Arguments, options: CallOptions = {}): ServiceCall<ReplyOf<E>> {
    const { now } = this.#settings;
    const prepare = () => requestOf(endpoint, checkArguments(endpoint, args, now()), this.#settings);
    return serviceCall(this.#checkAndMake(endpoint, prepare, options));
  }

  /**
   * Makes a call to any path below the service's addresses; the reply is JSON of any shape.
   * @throws {ServiceError}
   */
  raw(method: RawMethod, path: string, args: RawArguments = {}, options: CallOptions = {}): ServiceCall<unknown> {
    const target = { name: `${method} ${path}`, path: path as Endpoint["path"], reply: z.unknown() };
    return serviceCall(this.#checkAndMake(target, () => rawRequestOf(method, path, args, this.#settings), options));
  }

  /** A list, of which nothing is requested yet. What the caller gave is checked once, with the first page. */
  list<E extends ListEndpoint>(
    endpoint: E,
    query: QueryOf<E>,
    options: CallOptions = {},
    ids: Readonly<Record<string, string>> = {},
  ): List<ItemOf<E>, ReplyOf<E>> {
    type ListPage = Page<ItemOf<E>, ReplyOf<E>>;
    const { paging, items: field } = endpoint;
    const prepare = () => {
      const { query = {} } = checkArguments(endpoint, { ids, query: given }, this.#settings.now());
      this.#check(endpoint, options);
      return { query, request: requestOf(endpoint, { ids }, this.#settings) };
    };
    let prepared: ReturnType<typeof prepare> | undefined;
    const load = async (cursor?: string, size?: number): Promise<Answer<ListPage>> => {
      prepared ??= prepare();
      const query = queryOfPage(prepared.query, paging, cursor, size);
      const { data, head } = await this.#make(endpoint, requestOfPage(prepared.request, query), options);
      const reply = data as Record<string, unknown>;
      const items = reply[field] as ItemOf<E>[];
      const at = { query, lastDay: prepared.query["endDate"], cursor };
      return { data: { ...reply, items, ...continuationOf(paging, reply, items, at) } as ListPage, head };
    };
    // A caller without a type checker may leave out the query; `checkArguments` then says what is missing.
    const given = (query ?? {}) as Readonly<Record<string, unknown>>;
    const start = paging.parameter === "startDate" ? undefined : (given[paging.parameter] as string | undefined);
    const walkSize = paging.parameter === "startAfter" || given["limit"] !== undefined ? undefined : paging.walkSize;
    return new List(load, paging, start, walkSize);
  }

  async #checkAndMake<T extends Target>(
    target: T,
    prepare: () => PreparedRequest,
    options: CallOptions,
  ): Promise<Answer<z.output<T["reply"]>>> {
    const request = prepare();
    this.#check(target, options);
    return await this.#make(target, request, options);
  }

  /** @throws {ArgumentError} for options that cannot be used, and for a JWT where none is taken */
  #check(target: Target, options: CallOptions): void {
    if (this.#settings.isJwt && !takesJwt(target)) {
      throw new ArgumentError("jwt", `${target.name} does not accept a \`jwt\`, only an \`apiKey\``);
    }
    checkCallOptions(options);
  }

  /** Sends a request until it is answered, or it makes no sense to send it again. */
  async #make<T extends Target>(
    target: T,
    request: PreparedRequest,
    options: CallOptions,
  ): Promise<Answer<z.output<T["reply"]>>> {
    const deadline = new Deadline(options.timeoutMs ?? this.#settings.timeoutMs, options.signal);
    const call = { target, request, options, deadline };
    try {
      for (let attempt = 1; ; attempt += 1) {
        try {
          const reply = await this.#send(call, attempt);
          return { data: this.#read(call, reply), head: { status: reply.status, headers: reply.headers } };
        } catch (error) {
          await this.#waitToRetry(call, attempt, error);
        }
      }
    } finally {
      deadline.release();
    }
  }

  /** Waits until a failed request may be sent again. @throws the failure, if it may not */
  async #waitToRetry({ request, options, deadline }: Call<Target>, attempt: number, error: unknown): Promise<void> {
    const { random, maxRetries, sleep } = this.#settings;
    const attempts = request.method === "GET" ? 1 + (options.maxRetries ?? maxRetries) : 1;
    const waitMs = attempt < attempts ? retryWaitMs(error, attempt, random()) : undefined;
    if (waitMs === undefined || waitMs >= deadline.leftMs()) throw error;
    await sleep(waitMs, deadline.signal).catch(() => {
      throw endingError(request, deadline) ?? error;
    });
  }

  async #send(call: Call<Target>, attempt: number): Promise<HttpReply> {
    const { http, onRequest, onResponse } = this.#settings;
    const message = this.#messageOf(call);
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

  #messageOf({ request, options, deadline }: Call<Target>) {
    const { url, method, body } = request;
    const { maxReplyBytes, ca } = this.#settings;
    const message = { url, method, headers: this.#headers, signal: deadline.signal, maxReplyBytes, ca };
    if (body === undefined && options.headers === undefined) return message;
    const type = body === undefined ? undefined : { "content-type": "application/json" };
    const headers = { ...type, ...this.#headers, ...lowerCased(options.headers) };
    return { ...message, headers, ...(body !== undefined && { body }) };
  }

  #read<T extends Target>({ target, request, options }: Call<T>, reply: HttpReply): z.output<T["reply"]> {
    const { reply: schema, roles, items: field } = target;
    const { url, method, path } = request;
    const { onInvalidRow } = options;
    const { appUrl, now } = this.#settings;
    const context = { url, method, path, redact: this.#redact, roles, appUrl, nowMs: now() };
    const rows = field === undefined || onInvalidRow === undefined ? undefined : { field, onInvalidRow };
    return readReply(schema, reply, context, rows) as z.output<T["reply"]>;
  }
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
