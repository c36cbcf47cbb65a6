import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Parts of a request that tell if it comes from beckon's own page rather than another page in the same browser. */
export interface IncomingRequest {
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
 * Returns the path below the token of an allowed request; undefined for others. A foreign page does not know the token,
 * a name rebound to this machine shows in `Host`, and a foreign page's request has its own `Origin`.
 */
export function allowedPath({ method, target, headers }: IncomingRequest, { token, port }: Secret): string | undefined {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!hosts.includes(headers.host ?? "")) return undefined;
  const { origin } = headers;
  const isOwn = origin === `http://${headers.host}`;
  if (origin !== undefined ? !isOwn : method !== "GET" && method !== "HEAD") return undefined;
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return undefined;
  const [, givenToken = "", path] = /^\/([^/?]*)(\/.*)$/.exec(target) ?? [];
  return path !== undefined && isSame(givenToken, token) ? path : undefined;
}

function isSame(givenToken: string, token: string): boolean {
  const [a, b] = [Buffer.from(givenToken), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
