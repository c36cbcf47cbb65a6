/** Library export `beckon/service`: client of the service API. */
import type { HttpPort } from "./core/http-port.ts";
import { createFetchHttp } from "./io/fetch-http.ts";
import { createHttp, keptConnections } from "./io/http.ts";
import { checkFunction } from "./service/call-options.ts";
import { Client, type ClientOptions } from "./service/client.ts";
import { logHooks } from "./service/exchange-log.ts";

export type { HttpPort, HttpReply, HttpRequest } from "./core/http-port.ts";
export { dayOf, earliestDay, isDay, maxLimit } from "./service/arguments.ts";
export type { CallOptions, RowPlace } from "./service/call-options.ts";
export type { Credentials } from "./service/client.ts";
export type { Endpoint, ListEndpoint } from "./service/endpoint.ts";
export { endpoints } from "./service/endpoints.ts";
export * from "./service/error.ts";
export type { ExchangeHooks, SentRequest, SentResult } from "./service/exchange.ts";
export { List } from "./service/list.ts";
export type { Page } from "./service/paging.ts";
export type * from "./service/parameters.ts";
export type { RawArguments, RawMethod } from "./service/request.ts";
export type { Span } from "./service/resources/analytics.ts";
export { messageFilterRoles } from "./service/resources/sessions.ts";
export * from "./service/schemas/analytics.ts";
export * from "./service/schemas/computer.ts";
export * from "./service/schemas/control-change.ts";
export type { Open } from "./service/schemas/open.ts";
export * from "./service/schemas/organization-user.ts";
export * from "./service/schemas/pagination.ts";
export * from "./service/schemas/readiness-report.ts";
export * from "./service/schemas/sessions.ts";
export type { ResponseInfo, ServiceCall } from "./service/service-call.ts";

/** Options of a `ServiceClient`. By default, requests go through Node's own HTTP client. */
export type ServiceClientOptions = ClientOptions & {
  /** Function to send requests with. */
  readonly fetch?: typeof fetch | undefined;
  /** HTTP port to send requests with; it must classify failures itself. */
  readonly http?: Pick<HttpPort, "send"> | undefined;
};

/**
 * Client for the whole service API over the network. If the environment variable `BECKON_LOG` is set, each request and
 * reply is logged on standard error, without the key, unless `onRequest` and `onResponse` are given.
 * @example
 * const client = new ServiceClient({ baseUrl, appUrl, apiKey });
 * for await (const row of client.analytics.users({ startDate: "2026-11-01", endDate: "2026-11-01" })) print(row);
 */
export class ServiceClient extends Client {
  /** @throws {ArgumentError} for an invalid address, credentials or option */
  constructor({ fetch: fetchIt, http, ...options }: ServiceClientOptions) {
    checkFunction("fetch", fetchIt);
    const own = fetchIt && createFetchHttp(fetchIt);
    const log = process.env["BECKON_LOG"] ? logHooks((line) => process.stderr.write(`${line}\n`)) : {};
    super({ ...log, ...(options as ClientOptions) }, http ?? own ?? createHttp(Date.now, keptConnections()));
  }
}
