/** The service client as a library: `beckon/service`. */
import { createHttp } from "./io/http.ts";
import { keptConnections } from "./io/kept-connections.ts";
import { Client, type ClientOptions } from "./service/client.ts";

export type { HttpPort, HttpReply, HttpRequest } from "./core/http-port.ts";
export { dayOf, earliestDay, isDay, maxLimit } from "./service/arguments.ts";
export type { Credentials } from "./service/client.ts";
export type { Endpoint, ListEndpoint } from "./service/endpoint.ts";
export { endpoints } from "./service/endpoints.ts";
export * from "./service/error.ts";
export { List, type Page } from "./service/list.ts";
export type { Span } from "./service/resources/analytics.ts";
export { messageFilterRoles } from "./service/resources/session-endpoints.ts";
export * from "./service/schemas/activity-row.ts";
export * from "./service/schemas/analytics-envelope.ts";
export * from "./service/schemas/computer.ts";
export * from "./service/schemas/control-change.ts";
export * from "./service/schemas/control-settings.ts";
export * from "./service/schemas/credits-row.ts";
export * from "./service/schemas/custom-model.ts";
export * from "./service/schemas/sessions.ts";
export type { Open } from "./service/schemas/open.ts";
export * from "./service/schemas/organization-user.ts";
export * from "./service/schemas/pagination.ts";
export * from "./service/schemas/productivity-row.ts";
export * from "./service/schemas/readiness-report.ts";
export * from "./service/schemas/session.ts";
export * from "./service/schemas/session-settings.ts";
export * from "./service/schemas/tool-usage-row.ts";
export * from "./service/schemas/user-row.ts";
export type { CallOptions } from "./service/transport.ts";

type WithoutHttp<Options> = Options extends unknown ? Omit<Options, "http"> : never;
/** As `ClientOptions`; without `http` the requests go through Node's own client. */
export type ServiceClientOptions = WithoutHttp<ClientOptions> & { readonly http?: ClientOptions["http"] | undefined };

/**
 * The whole interface of the service, over the network.
 * @example
 * const client = new ServiceClient({ baseUrl, appUrl, apiKey });
 * for await (const row of client.analytics.users({ startDate: "2026-11-01", endDate: "2026-11-01" })) print(row);
 */
export class ServiceClient extends Client {
  /** @throws {ArgumentError} for an address or credentials that cannot be used */
  constructor(options: ServiceClientOptions) {
    super({ ...options, http: options.http ?? createHttp(Date.now, keptConnections()) } as ClientOptions);
  }
}
