import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Parts of a request that show if beckon's own page sent it. */
export interface IncomingRequest {
  readonly method: string;
  /** Path and query from the request line. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Secret {
  readonly token: string;
  readonly port: number;
}

/**
 * Returns the path after the token; undefined if the request is not allowed. A foreign page does not know the token,
 * and its `Origin` differs. If a foreign host name resolves to this machine, the `Host` header shows that name.
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
