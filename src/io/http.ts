import { isAscii } from "node:buffer";
import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { DeliveryError, errnoOf, type FailureReason } from "../core/errors.ts";
import {
  defaultReplyBytes,
  type HttpPort,
  type HttpReply,
  type HttpRequest,
  isSuccess,
  type Rejection,
} from "../core/http-port.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { askedWaitMs } from "../core/retry-after.ts";
import { isBeingLookedUp, lookUpHost } from "./host-lookup.ts";
import { isProxied, proxyAgent } from "./proxy.ts";
import { tlsOptions } from "./tls.ts";

/** Chooses the agent whose connections a request may use; `false` opens a connection for this request alone. */
type Connections = (target: URL, method: string) => HttpAgent | false;

const freshConnections: Connections = () => false;

/**
 * Connections kept open for the next request to the same address, so that reading a thousand pages opens one. Only for
 * GET: where a kept connection breaks, nobody knows whether the request was carried out, and only a GET may be sent
 * again. An idle connection keeps no process alive.
 */
export function keptConnections(): Connections {
  const http = new HttpAgent({ keepAlive: true });
  const https = new HttpsAgent({ keepAlive: true });
  return ({ protocol }, method) => {
    if (method !== "GET") return false;
    return protocol === "https:" ? https : http;
  };
}

const invalidHeader = /^ERR_(INVALID_CHAR|INVALID_HTTP_TOKEN|HTTP_INVALID_HEADER_VALUE)$/;
const json = { "content-type": "application/json" };
const defaultHeaders = { "user-agent": "beckon", accept: "*/*" };

/**
 * The HTTP port, on Node's own client: it costs a short-lived process a quarter of what `fetch` does on Node 20.
 * @param now the time that replies are read at, Unix milliseconds
 * @param connections `keptConnections()` for many requests to one address; default: a new connection for each request
 */
export function createHttp(now: () => number = Date.now, connections: Connections = freshConnections): HttpPort {
  return {
    send: (request) => send(request, connections),
    async post({ classifyReply, isGone, hints, ...request }) {
      const headers = { ...(request.body !== undefined && json), ...request.headers };
      const reply = await send({ method: "POST", ...request, headers }, connections);
      if (isGone?.(reply)) return reply;
      const rejection = classifyReply?.(reply, now()) ?? classifyStatus(reply);
      if (!rejection) return reply;
      const { reason, hint = hints?.[reason], said } = rejection;
      const retryAfterMs = rejection.retryAfterMs ?? askedWaitMs(reply, now(), reason === "rate-limited");
      const details = { status: reply.status, ...omitUndefined({ hint, said, retryAfterMs }) };
      throw new DeliveryError(reason, `${new URL(request.url).origin} ${rejection.message}`, details);
    },
  };
}

async function send(request: HttpRequest, connections: Connections): Promise<HttpReply> {
  const target = parseUrl(request.url);
  try {
    const response = await open(target, request, connections);
    refuseRedirect(target, response);
    return await read(target, response, request);
  } catch (error) {
    throw sendError(target, error, request.signal);
  }
}

function refuseRedirect({ origin }: URL, response: IncomingMessage): void {
  const { statusCode: status = 0 } = response;
  if (status < 300 || status > 399) return;
  response.destroy(); // its body says nothing, and may never end
  const hint = "Put the address it redirects to into the configuration.";
  throw new DeliveryError("redirect", `${origin} redirects, and redirects are not followed`, { status, hint });
}

/** Sends a request; resolves with the head of the reply. The signal also covers the body. */
async function open(target: URL, message: HttpRequest, connections: Connections): Promise<IncomingMessage> {
  const { method = "GET", body, signal } = message;
  const isTls = target.protocol === "https:";
  const tls = isTls ? await tlsOptions(message.ca) : undefined;
  const start = isTls ? requestHttps : requestHttp;
  const length = body === undefined ? undefined : { "content-length": String(Buffer.byteLength(body)) };
  const headers = { ...defaultHeaders, ...message.headers, ...length };
  const agent = (isProxied(target) ? await proxyAgent(target) : undefined) ?? connections(target, method);
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const options = { ...tls, method, headers, agent, lookup: lookUpHost };
    const request = start(target, options, (response) => {
      isAnswered = true;
      resolve(response);
    });
    // Not Node's own `signal` option, which costs a tenth of a short request.
    const onAbort = (): void => void request.destroy();
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    request.on("error", (error) => {
      // A kept connection may close just as it is reused: https://nodejs.org/api/http.html#requestreusedsocket
      const isStale = request.reusedSocket && errnoOf(error) === "ECONNRESET" && !signal.aborted;
      if (isStale) resolve(open(target, message, freshConnections));
      else reject(error);
    });
    request.on("close", () => {
      signal.removeEventListener("abort", onAbort);
      if (!isAnswered) reject(new Error("closed without an answer")); // no error comes after a 101
    });
    request.end(body);
  });
}

/** Reads a reply with a body of at most `maxReplyBytes`, then closes the connection. */
function read(target: URL, response: IncomingMessage, { maxReplyBytes = defaultReplyBytes, signal }: HttpRequest) {
  const chunks: Buffer[] = [];
  let size = 0;
  const reply = (): HttpReply => ({
    status: response.statusCode ?? 0,
    headers: flatHeaders(response.headers),
    body: textOf(chunks, Math.min(size, maxReplyBytes)),
  });
  return new Promise<HttpReply>((resolve, reject) => {
    response.on("error", () => reject(networkError(target, "broke off in the middle of its reply", signal)));
    response.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= maxReplyBytes) return;
      resolve({ ...reply(), truncated: true });
      response.destroy();
    });
    response.on("end", () => resolve(reply()));
  });
}

/** The first bytes of a body as text. */
function textOf(chunks: readonly Buffer[], sizeBytes: number): string {
  const [whole] = chunks;
  // Mostly a body comes in one piece, which needs no copy.
  const bytes = whole !== undefined && chunks.length === 1 ? whole : Buffer.concat(chunks, sizeBytes);
  // ASCII is the same in both, and V8 copies Latin-1 as it is.
  return bytes.toString(isAscii(bytes) ? "latin1" : "utf8", 0, sizeBytes);
}

function parseUrl(url: string): URL {
  try {
    const target = new URL(url);
    if (target.protocol === "https:" || target.protocol === "http:") return target;
  } catch {
    // Its error keeps the text of the address, which may hold a secret.
  }
  throw new DeliveryError("rejected", "the configured address is not an http(s) URL", { hint: "Check `url`." });
}

function sendError(target: URL, error: unknown, signal: AbortSignal): DeliveryError {
  if (error instanceof DeliveryError) return error;
  const code = errnoOf(error) ?? "connection lost";
  if (!invalidHeader.test(code)) return networkError(target, `cannot be reached (${code})`, signal);
  const hint = "Headers may not hold line breaks or characters outside Latin-1.";
  return new DeliveryError("rejected", `a header for ${target.origin} cannot be sent (${code})`, { hint });
}

/** What OpenSSL says of a certificate that leads back to no authority it trusts. */
const untrustedCertificate = /SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE)|CERT_UNTRUSTED/;

function networkError({ origin, hostname, protocol }: URL, what: string, signal: AbortSignal): DeliveryError {
  if (signal.aborted && isBeingLookedUp(hostname)) {
    return new DeliveryError("timeout", `${origin} cannot be reached: no name server has told its address in time`);
  }
  if (signal.aborted) return new DeliveryError("timeout", `${origin} did not answer in time`);
  return new DeliveryError("unavailable", `${origin} ${what}`, omitUndefined({ hint: hintForCode(what, protocol) }));
}

/** Finds the cure for an error by its code; undefined if the code does not say. */
function hintForCode(text: string, protocol: string): string | undefined {
  if (untrustedCertificate.test(text)) {
    return "If its certificate comes from an authority of your own, give that authority's PEM file as `ca`.";
  }
  if (/EPROTO|ERR_SSL_|WRONG_VERSION_NUMBER/.test(text)) {
    return "What answers there does not speak TLS, or no version of it that is in use: check host and port, or write http:// if that is meant.";
  }
  if (!/HPE_/.test(text)) return undefined;
  const orTls = protocol === "http:" ? ", or wants https://" : "";
  return `What answers there is no HTTP server${orTls}: check host and port.`;
}

function classifyStatus(reply: HttpReply): Rejection | undefined {
  if (isSuccess(reply)) return undefined;
  return { reason: reasonOfStatus(reply.status), message: `answered ${reply.status}` };
}

/** The failure reason of a status that is neither 2xx nor 3xx; the only place where the two meet. */
function reasonOfStatus(status: number): FailureReason {
  if (status === 401 || status === 403 || status === 404 || status === 410) return "auth";
  if (status === 429) return "rate-limited";
  if (status === 408 || status === 425 || status >= 500) return "unavailable";
  return "rejected";
}

/**
 * Headers with one value each. Node joins all but one itself:
 * https://nodejs.org/docs/latest-v20.x/api/http.html#messageheaders
 */
function flatHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const cookies = headers["set-cookie"];
  const others = headers as Record<string, string>;
  return cookies === undefined ? others : { ...others, "set-cookie": cookies.join(", ") };
}
