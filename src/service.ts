/** The library export `beckon/service`: the client of the service's API. */
import type { HttpPort } from "./core/http-port.ts";
import { createHttp, keptConnections } from "./io/http.ts";
import { Client, type ClientOptions } from "./service/client.ts";

export type { HttpPort, HttpReply, HttpRequest } from "./core/http-port.ts";
export { dayOf, earliestDay, isDay, maxLimit } from "./service/arguments.ts";
export type { Credentials } from "./service/client.ts";
export type { Endpoint, ListEndpoint } from "./service/endpoint.ts";
export { endpoints } from "./service/endpoints.ts";
export * from "./service/error.ts";
export { List, type Page } from "./service/list.ts";
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
export type { CallOptions } from "./service/transport.ts";

/** Without `http`, requests go through Node's own HTTP client. */
export type ServiceClientOptions = ClientOptions & { readonly http?: HttpPort | undefined };

/**
 * A client for the whole API of the service, over the network.
 * @example
 * const client = new ServiceClient({ baseUrl, appUrl, apiKey });
 * for await (const row of client.analytics.users({ startDate: "2026-11-01", endDate: "2026-11-01" })) print(row);
 */
export class ServiceClient extends Client {
  /** @throws {ArgumentError} for an address or credentials that cannot be used */
  constructor(options: ServiceClientOptions) {
    super(options, options.http ?? createHttp(Date.now, keptConnections()));
  }
}
