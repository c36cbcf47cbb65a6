import type { HttpPort } from "../core/http-port.ts";
import { isServiceAddress } from "./address.ts";
import { ArgumentError } from "./error.ts";
import { Analytics } from "./resources/analytics.ts";
import { Computers } from "./resources/computers.ts";
import { EnterpriseControls } from "./resources/enterprise-controls.ts";
import { Readiness } from "./resources/readiness.ts";
import { Sessions } from "./resources/sessions.ts";
import { Users } from "./resources/users.ts";
import { bearerSchema } from "./settings.ts";
import { sleep, Transport, type TransportSettings } from "./transport.ts";

/**
 * An API key, made at `{appUrl}/settings/api-keys`, or a JWT, which `/api/v0` alone takes. How a JWT is had, and how long
 * it lives, is not shown.
 */
export type Credentials =
  | { readonly apiKey: string; readonly jwt?: undefined }
  | { readonly jwt: string; readonly apiKey?: undefined };

type Tuning = Pick<TransportSettings, "timeoutMs" | "attempts" | "maxReplyBytes" | "now" | "sleep">;

/** What a client is made of. Only the addresses get the credentials, no redirect is followed. */
export type ClientOptions = Credentials &
  Partial<Tuning> & {
    /** Address of the API: https, or http on this machine. */
    readonly baseUrl: string;
    /** Address of the web application; readiness reports need it, hints name its page of keys. */
    readonly appUrl?: string | undefined;
    readonly http: HttpPort;
  };

const defaults: Tuning = {
  timeoutMs: 60_000,
  attempts: 3,
  maxReplyBytes: 64 * 1024 * 1024,
  now: Date.now,
  sleep,
};

/**
 * The settings of a transport, checked; absent ones are the defaults: a minute a call, three attempts of a GET, replies
 * up to 64 MiB.
 * @throws {ArgumentError} for an address or credentials that cannot be used
 */
export function transportSettings(options: ClientOptions): TransportSettings {
  const { baseUrl, appUrl, apiKey, jwt, http, ...tuning } = options;
  for (const [name, address] of Object.entries({ baseUrl, ...(appUrl !== undefined && { appUrl }) })) {
    if (typeof address === "string" && isServiceAddress(address)) continue;
    const hint = "http:// is for this machine only; no user, query or fragment.";
    throw new ArgumentError(name, `\`${name}\` must be an https:// address`, hint);
  }
  if ((apiKey === undefined) === (jwt === undefined)) {
    throw new ArgumentError("apiKey", "either `apiKey` or `jwt` must be given");
  }
  const bearer = bearerSchema.safeParse(apiKey ?? jwt);
  const name = apiKey === undefined ? "jwt" : "apiKey";
  if (!bearer.success) throw new ArgumentError(name, `\`${name}\` must be printable ASCII without spaces`);
  const given = Object.fromEntries(Object.entries(tuning).filter(([, value]) => value !== undefined));
  return { ...defaults, ...given, baseUrl, appUrl, http, bearer: bearer.data };
}

/**
 * The whole interface of the service. Every list is a `List`: `for await` walks its items, `.page()` gets one page.
 * Every failure is a `ServiceError`: arguments are checked before anything is sent (`ArgumentError`).
 */
export class Client {
  readonly analytics: Analytics;
  readonly readiness: Readiness;
  readonly enterpriseControls: EnterpriseControls;
  readonly sessions: Sessions;
  readonly computers: Computers;
  readonly users: Users;

  /** @throws {ArgumentError} for an address or credentials that cannot be used */
  constructor(options: ClientOptions) {
    const transport = new Transport(transportSettings(options));
    this.analytics = new Analytics(transport);
    this.readiness = new Readiness(transport);
    this.enterpriseControls = new EnterpriseControls(transport);
    this.sessions = new Sessions(transport);
    this.computers = new Computers(transport);
    this.users = new Users(transport);
  }
}
