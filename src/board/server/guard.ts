import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/**
 * What tells whether a request comes from the page that beckon served, and not from another one in the same browser.
 */
export interface Asked {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Secret {
  readonly token: string;
  readonly port: number;
}

/**
 * The path below the token of a request that may be answered; undefined for any other. A page elsewhere does not know
 * the token; a name that was rebound to this machine is in `Host`; and what another page sends has its own `Origin`.
 */
export function allowedPath({ method, target, headers }: Asked, { token, port }: Secret): string | undefined {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!hosts.includes(headers.host ?? "")) return undefined;
  const { origin } = headers;
  const isOwn = origin === `http://${headers.host}`;
  if (origin !== undefined ? !isOwn : method !== "GET" && method !== "HEAD") return undefined;
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return undefined;
  const [, given = "", path] = /^\/([^/?]*)(\/.*)$/.exec(target) ?? [];
  return path !== undefined && isSame(given, token) ? path : undefined;
}

function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
