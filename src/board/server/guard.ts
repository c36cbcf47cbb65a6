import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { ClockPort } from "../../core/ports.ts";

/** Parts of a request that show if beckon's own page sent it. */
interface IncomingRequest {
  readonly method: string;
  /** Path and query from the request line. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

interface Secret {
  readonly token: string;
  readonly port: number;
}

/**
 * Returns the path after the token; undefined if the request is not allowed. A foreign page does not know the token,
 * and its `Origin` differs. If a foreign host name resolves to this machine, the `Host` header shows that name.
 */
export function allowedPath({ method, target, headers }: IncomingRequest, { token, port }: Secret): string | undefined {
  if (![`127.0.0.1:${port}`, `localhost:${port}`].includes(headers.host ?? "")) return undefined;
  const { origin } = headers;
  const isOwn = origin === `http://${headers.host}`;
  if (origin !== undefined ? !isOwn : method !== "GET" && method !== "HEAD") return undefined;
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return undefined;
  const [, givenToken = "", path] = /^\/([^/?]*)(\/.*)$/.exec(target) ?? [];
  const [given, own] = [Buffer.from(givenToken), Buffer.from(token)];
  return given.length === own.length && timingSafeEqual(given, own) ? path : undefined;
}

/** Time within which a token must be used, milliseconds. A browser may take this long to start. */
const lifetimeMs = 60_000;

/** Tokens that each open the board once. Another user who sees one in a browser's arguments cannot use it again. */
export class OneTimeTokens {
  readonly #clock: ClockPort;
  readonly #expiries = new Map<string, number>();

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  /** Creates a token. */
  create(): string {
    const token = randomBytes(18).toString("base64url");
    this.#expiries.set(token, this.#clock.uptimeMs() + lifetimeMs);
    return token;
  }

  /** True if a request has a valid token, which is then used up. */
  use(request: IncomingRequest, port: number): boolean {
    const nowMs = this.#clock.uptimeMs();
    const used = [...this.#expiries].find(
      ([token, untilMs]) => nowMs < untilMs && allowedPath(request, { token, port }) === "/",
    );
    if (used) this.#expiries.delete(used[0]);
    return used !== undefined;
  }
}
