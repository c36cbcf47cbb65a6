/** Library export `beckon/service/fetch`: client of the service API on `fetch`, for browsers, Deno, Bun and the edge. */
import { createFetchHttp } from "./io/fetch-http.ts";
import { checkFunction } from "./service/call-options.ts";
import { Client, type ClientOptions } from "./service/client.ts";
import { ArgumentError } from "./service/error.ts";

export * from "./service/library.ts";

/** Options of a `ServiceClient`. */
export type ServiceClientOptions = ClientOptions & {
  /** Function to send requests with; default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Not available: the runtime decides which certificates it trusts. */
  readonly ca?: undefined;
};

/**
 * Client for the whole service API, without any module of Node. It works as the client of `beckon/service`, except that
 * it reads no environment variables and sends no user agent of its own.
 * @example
 * const client = new ServiceClient({ baseUrl, appUrl, apiKey });
 * for await (const user of client.users.list()) print(user.email);
 */
export class ServiceClient extends Client {
  /** @throws {ArgumentError} for an invalid address, credentials or option */
  constructor({ fetch: fetchIt, ca, ...options }: ServiceClientOptions) {
    checkFunction("fetch", fetchIt);
    if (ca !== undefined) throw new ArgumentError("ca", "`ca` is not an option of this client, only of Node's");
    const sendIt: typeof fetch = fetchIt ?? ((...args) => fetch(...args));
    super(options as ClientOptions, createFetchHttp(sendIt));
  }
}
