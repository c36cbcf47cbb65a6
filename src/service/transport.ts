import { setTimeout as wait } from "node:timers/promises";
import type * as z from "zod";
import type { HttpPort, HttpReply } from "../core/http-port.ts";
import { bearerRedactor } from "./bearer-redactor.ts";
import { type Deadline, startDeadline } from "./deadline.ts";
import type { Endpoint, ItemOf, ListEndpoint, QueryOf, ReplyOf } from "./endpoint.ts";
import { ArgumentError } from "./error.ts";
import { List, type Page } from "./list.ts";
import { nextCursor } from "./paging.ts";
import { readReply } from "./reply.ts";
import {
  type Addresses,
  type Arguments,
  argumentsOfPage,
  type Checked,
  checkArguments,
  type PreparedRequest,
  requestOf,
} from "./request.ts";
import { retryWaitMs } from "./retry.ts";
import { endingError, sendError } from "./send-error.ts";

export interface TransportSettings extends Addresses {
  /** Key or JWT. */
  readonly bearer: string;
  readonly http: HttpPort;
  /** Most a call may take, retries and waits included. */
  readonly timeoutMs: number;
  /** Attempts of a GET. */
  readonly attempts: number;
  readonly maxReplyBytes: number;
  /** Unix milliseconds; decides which day is today. */
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** For one call. */
export interface CallOptions {
  /** Ends the call, or the walk over a list. */
  readonly signal?: AbortSignal | undefined;
  /** In place of the client's. For a list, of each page. */
  readonly timeoutMs?: number | undefined;
}

/** Waits without being seen by a test's clock. */
export const sleep: TransportSettings["sleep"] = (ms, signal) => wait(ms, undefined, { signal });

/** The one way to the service: checks, sends, retries, reads. Holds the key, and shows it to nobody. */
export class Transport {
  readonly #settings: TransportSettings;
  readonly #redact: (text: string) => string;

  constructor(settings: TransportSettings) {
    this.#settings = settings;
    this.#redact = bearerRedactor(settings.bearer);
  }

  /**
   * One call.
   * @throws {ServiceError}
   */
  async call<E extends Endpoint>(endpoint: E, given: Arguments, options: CallOptions = {}): Promise<ReplyOf<E>> {
    return await this.#ask(endpoint, checkArguments(endpoint, given, this.#settings.now()), options);
  }

  /** A list, of which nothing is asked yet. What the caller says is checked once, with the first page. */
  list<E extends ListEndpoint>(
    endpoint: E,
    query: QueryOf<E>,
    options: CallOptions = {},
    parts: Readonly<Record<string, string>> = {},
  ): List<ItemOf<E>, ReplyOf<E>> {
    const { paging, items: field } = endpoint;
    let checked: Checked | undefined;
    const load = async (cursor?: string, size?: number): Promise<Page<ItemOf<E>, ReplyOf<E>>> => {
      checked ??= checkArguments(endpoint, { parts, query }, this.#settings.now());
      const asked = paging ? argumentsOfPage(checked, paging, cursor, size) : checked;
      const reply = (await this.#ask(endpoint, asked, options)) as Record<string, unknown>;
      const items = reply[field] as ItemOf<E>[];
      return { ...reply, items, next: nextCursor(paging, reply, items) } as Page<ItemOf<E>, ReplyOf<E>>;
    };
    // Not there at all, where no compiler looked: the check says what is missing.
    const start = paging && (query as Record<string, string | undefined> | null | undefined)?.[paging.parameter];
    return new List(load, paging, start);
  }

  async #ask<E extends Endpoint>(endpoint: E, checked: Checked, options: CallOptions): Promise<ReplyOf<E>> {
    const request = requestOf(endpoint, checked, this.#settings);
    const deadline = startDeadline(checkTimeout(options.timeoutMs ?? this.#settings.timeoutMs), options.signal);
    try {
      return await this.#persist(endpoint, request, deadline);
    } finally {
      deadline.release();
    }
  }

  async #persist<E extends Endpoint>(endpoint: E, request: PreparedRequest, deadline: Deadline): Promise<ReplyOf<E>> {
    const attempts = endpoint.method === "GET" ? this.#settings.attempts : 1;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const reply = await this.#send(request, deadline);
        return this.#read(endpoint, request.url.origin, reply);
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
    const { bearer, http, maxReplyBytes } = this.#settings;
    const { signal } = deadline;
    const headers = {
      accept: "application/json",
      authorization: `Bearer ${bearer}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const message = { url: url.href, method, headers, signal, maxReplyBytes, ...(body !== undefined && { body }) };
    return await http.send(message).catch((error: unknown) => {
      throw endingError(request, deadline) ?? sendError(request, error);
    });
  }

  #read<E extends Endpoint>(endpoint: E, origin: string, reply: HttpReply): ReplyOf<E> {
    const { appUrl, now } = this.#settings;
    const context = { origin, redact: this.#redact, roles: endpoint.roles, appUrl, nowMs: now() };
    return readReply(endpoint.reply, reply, context) as z.output<E["reply"]>;
  }
}

/** Node's timers fire at once for anything longer. */
const longestTimerMs = 2 ** 31 - 1;

function checkTimeout(timeoutMs: number): number {
  if (timeoutMs > 0 && timeoutMs <= longestTimerMs) return timeoutMs;
  throw new ArgumentError("timeoutMs", `\`timeoutMs\` must be more than 0 and at most ${longestTimerMs}`);
}
