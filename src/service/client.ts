import type { HttpPort } from "../core/http-port.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { isServiceAddress } from "./address.ts";
import { type BearerSource, checkKey } from "./bearer.ts";
import { type CallOptions, checkFunction, checkLimits } from "./call-options.ts";
import { untilAborted } from "./deadline.ts";
import { ArgumentError } from "./error.ts";
import type { RawArguments, RawMethod } from "./request.ts";
import { Analytics } from "./resources/analytics.ts";
import { Computers } from "./resources/computers.ts";
import { EnterpriseControls } from "./resources/enterprise-controls.ts";
import { Readiness } from "./resources/readiness.ts";
import { Sessions } from "./resources/sessions.ts";
import { Users } from "./resources/users.ts";
import type { TransportSettings } from "./sender.ts";
import type { ServiceCall } from "./service-call.ts";
import { Transport } from "./transport.ts";

/**
 * An API key, created at `{appUrl}/settings/api-keys`, or a JWT, which is sent to `/api/v0` only. The API document says
 * neither how to get a JWT nor how long it is valid. A function that returns the key or JWT is called for the first
 * request, and once more after a 401, before the request is repeated.
 */
export type Credentials =
  | { readonly apiKey: BearerSource; readonly jwt?: undefined }
  | { readonly jwt: BearerSource; readonly apiKey?: undefined };

const tuningNames = [
  "timeoutMs",
  "maxRetries",
  "maxConcurrency",
  "maxReplyBytes",
  "headers",
  "ca",
  "now",
  "sleep",
  "random",
  "onRequest",
  "onResponse",
] as const;
type Tuning = Pick<TransportSettings, (typeof tuningNames)[number]>;

/** Options of a client. Credentials are sent only to `baseUrl` and `appUrl`; redirects are not followed. */
export type ClientOptions = Credentials &
  Partial<Tuning> & {
    /** Base address of the API: https, or http on this machine. */
    readonly baseUrl: string;
    /** Base address of the web application, for readiness reports and for links to the page that creates keys. */
    readonly appUrl?: string | undefined;
  };

/** Limits that the caller does not set: a minute, and two retries of a GET; four requests of a client at once. */
const defaults: Tuning = {
  timeoutMs: 60_000,
  maxRetries: 2,
  maxConcurrency: 4,
  maxReplyBytes: 64 * 1024 * 1024,
  now: Date.now,
  sleep,
  random: Math.random,
};

/**
 * Validates options and adds defaults: one minute per call, two retries of a GET, four requests at
 * once, replies of up to 64 MiB.
 * @param runtimeHeaders headers about the runtime, which the caller's headers replace
 * @throws {ArgumentError} for an invalid address, credentials or option
 */
export function transportSettings(
  options: ClientOptions,
  http: Pick<HttpPort, "send">,
  runtimeHeaders?: TransportSettings["runtimeHeaders"],
): TransportSettings {
  const { baseUrl, appUrl, apiKey, jwt, ...tuning } = options;
  checkTuning(tuning);
  for (const [name, address] of Object.entries(omitUndefined({ baseUrl, appUrl }))) {
    if (typeof address === "string" && isServiceAddress(address)) continue;
    const hint = "http:// is allowed only for this machine; no user, query or fragment.";
    throw new ArgumentError(name, `\`${name}\` must be an https:// address`, hint);
  }
  if ((apiKey === undefined) === (jwt === undefined)) {
    throw new ArgumentError("apiKey", "either `apiKey` or `jwt` must be given");
  }
  const name = apiKey === undefined ? "jwt" : "apiKey";
  const source = apiKey ?? jwt;
  const bearer = typeof source === "function" ? source : checkKey(name, source);
  return {
    ...defaults,
    ...omitUndefined<Partial<Tuning>>(tuning),
    baseUrl,
    appUrl,
    http,
    runtimeHeaders,
    bearer,
    isJwt: name === "jwt",
  };
}

function checkTuning(tuning: Readonly<Record<string, unknown>>): void {
  for (const name of Object.keys(tuning)) {
    if (!(tuningNames as readonly string[]).includes(name)) {
      throw new ArgumentError(name, `\`${name}\` is not an option of the client`);
    }
  }
  const { maxReplyBytes, maxConcurrency, ca } = tuning;
  for (const [name, value] of Object.entries({ maxReplyBytes, maxConcurrency })) {
    if (value === undefined || (Number.isSafeInteger(value) && Number(value) > 0)) continue;
    throw new ArgumentError(name, `\`${name}\` must be a whole number, 1 or more`);
  }
  if (ca !== undefined && typeof ca !== "string") throw new ArgumentError("ca", "`ca` must be a file's path");
  for (const name of ["now", "sleep", "random", "onRequest", "onResponse"]) checkFunction(name, tuning[name]);
  checkLimits(tuning);
}

/**
 * Client for the service's whole API. Every list is a `List`: `for await` walks its items, `.page()` gets one page.
 * Every failure is a `ServiceError`; arguments are checked before anything is sent (`ArgumentError`).
 */
export class Client {
  readonly analytics: Analytics;
  readonly readiness: Readiness;
  readonly enterpriseControls: EnterpriseControls;
  readonly sessions: Sessions;
  readonly computers: Computers;
  readonly users: Users;

  readonly #transport: Transport;

  /** @throws {ArgumentError} for an invalid address, credentials or option */
  constructor(
    options: ClientOptions,
    http: Pick<HttpPort, "send">,
    runtimeHeaders?: TransportSettings["runtimeHeaders"],
  ) {
    const transport = new Transport(transportSettings(options, http, runtimeHeaders));
    this.#transport = transport;
    this.analytics = new Analytics(transport);
    this.readiness = new Readiness(transport);
    this.enterpriseControls = new EnterpriseControls(transport);
    this.sessions = new Sessions(transport);
    this.computers = new Computers(transport);
    this.users = new Users(transport);
  }

  /** Time for which all requests of this client waited because the service answered 429, milliseconds. */
  get pausedMs(): number {
    return this.#transport.pausedMs;
  }

  /**
   * Sends a request to a path that this client does not know yet, below its addresses. Key, retries of a GET, limits
   * and errors work as usual; the reply may be any JSON.
   * @example await client.request("GET", "/api/v0/teams", { query: { limit: 5 } })
   */
  request(method: RawMethod, path: string, args: RawArguments = {}, options: CallOptions = {}): ServiceCall<unknown> {
    return this.#transport.raw(method, path, args, options);
  }
}

/** Waits a number of milliseconds. @throws when the signal aborts */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return untilAborted(elapsed, signal).finally(() => clearTimeout(timer));
}
