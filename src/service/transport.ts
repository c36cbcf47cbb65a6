import * as z from "zod";
import { withSearch } from "./address.ts";
import { type CallOptions, checkCallOptions } from "./call-options.ts";
import { type Endpoint, type ItemOf, type ListEndpoint, type QueryOf, type ReplyOf, takesJwt } from "./endpoint.ts";
import { ArgumentError } from "./error.ts";
import { List } from "./list.ts";
import { type Page, readContinuation } from "./paging.ts";
import {
  type Arguments,
  addExtra,
  buildPageQuery,
  checkArguments,
  type PreparedRequest,
  prepareRawRequest,
  prepareRequest,
  type RawArguments,
  type RawMethod,
  wireQuery,
} from "./request.ts";
import { Sender, type Target, type TransportSettings } from "./sender.ts";
import { type Answer, type ServiceCall, serviceCall } from "./service-call.ts";

/** Makes the calls of a client: checks their arguments and options, and prepares their requests. */
export class Transport {
  readonly #settings: TransportSettings;
  readonly #sender: Sender;

  constructor(settings: TransportSettings) {
    this.#settings = settings;
    this.#sender = new Sender(settings);
  }

  /** Time for which all requests waited for the rate limit, milliseconds. */
  get pausedMs(): number {
    return this.#sender.pausedMs;
  }

  /**
   * Makes one call, with retries.
   * @throws {ServiceError}
   */
  call<E extends Endpoint>(endpoint: E, args: Arguments, options: CallOptions = {}): ServiceCall<ReplyOf<E>> {
    const { now } = this.#settings;
    const prepare = () => prepareRequest(endpoint, checkArguments(endpoint, args, now()), this.#settings);
    return this.#make(endpoint, prepare, options);
  }

  /**
   * Makes a call to any path below the service's addresses. The reply may be any JSON.
   * @throws {ServiceError}
   */
  raw(method: RawMethod, path: string, args: RawArguments = {}, options: CallOptions = {}): ServiceCall<unknown> {
    const target = { name: `${method} ${path}`, path: path as Endpoint["path"], reply: z.unknown() };
    return this.#make(target, () => prepareRawRequest(method, path, args, this.#settings), options);
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
      const request = { ...prepared.request, url: withSearch(prepared.request.url, wireQuery(query)) };
      const extended = addExtra(request, endpoint, options);
      const { data, head } = await this.#sender.send(endpoint, extended, options, cursor);
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

  #make<T extends Target & Partial<Pick<Endpoint, "query" | "body">>>(
    target: T,
    prepare: () => PreparedRequest,
    options: CallOptions,
  ): ServiceCall<z.output<T["reply"]>> {
    const send = async (): Promise<Answer<z.output<T["reply"]>>> => {
      this.#check(target, options);
      return await this.#sender.send(target, addExtra(prepare(), target, options), options);
    };
    return serviceCall(send());
  }

  /** @throws {ArgumentError} for invalid options, and for a JWT that the endpoint does not accept */
  #check(target: Target, options: CallOptions): void {
    if (this.#settings.isJwt && !takesJwt(target)) {
      throw new ArgumentError("jwt", `${target.name} does not accept a \`jwt\`, only an \`apiKey\``);
    }
    checkCallOptions(options);
  }
}

/** Operations on one kind of object; a part of the client. */
export abstract class Resource {
  protected readonly transport: Transport;
  constructor(transport: Transport) {
    this.transport = transport;
  }
}
