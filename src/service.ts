/** Library export `beckon/service`: client of the service API. */
import type { HttpPort } from "./core/http-port.ts";
import { createFetchHttp } from "./io/fetch-http.ts";
import { createHttp, keptConnections } from "./io/http.ts";
import { checkFunction } from "./service/call-options.ts";
import { Client, type ClientOptions } from "./service/client.ts";
import { logHooks } from "./service/exchange.ts";
import { nodeHeaders } from "./service/node-headers.ts";

export * from "./service/library.ts";

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
    super(
      { ...log, ...(options as ClientOptions) },
      http ?? own ?? createHttp(Date.now, keptConnections()),
      nodeHeaders(),
    );
  }
}
