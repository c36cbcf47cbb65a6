import type { LookupAddress } from "node:dns";
import type { Agent, IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { LookupFunction } from "node:net";
import { Readable, type Transform } from "node:stream";
import type Zlib from "node:zlib";
import { DeliveryError, type FailureReason, readErrno } from "../core/errors.ts";
import {
  defaultReplyBytes,
  type HttpPort,
  type HttpReply,
  type HttpRequest,
  isSuccess,
  type Rejection,
} from "../core/http-port.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { quietly } from "../core/quietly.ts";
import { readRequestedWaitMs } from "../core/retry-after.ts";
import { findUnknown, listCodings } from "./coding-names.ts";
import { isProxied, proxyAgent, proxyFailure, proxyRefusal } from "./proxy.ts";
import { tlsOptions } from "./tls.ts";

/** Function that chooses the connection pool for a request; `false` means a new connection. */
type Connections = (target: URL, method: string) => Promise<Agent | false>;

const freshConnections: Connections = async () => false;

/** Loads Node's client for a target when it is first used: both take milliseconds to load. */
const loadClient = ({ protocol }: URL) => (protocol === "https:" ? import("node:https") : import("node:http"));

/**
 * Returns a `Connections` function that keeps connections open for later GET requests to the same address, so that a
 * thousand requests need one connection. Other methods get new connections, because they are unsafe to repeat if a kept
 * connection breaks. Idle connections do not keep the process alive.
 */
export function keptConnections(): Connections {
  const pools = new Map<string, Agent>();
  return async (target, method) => {
    if (method !== "GET") return false;
    const { Agent } = await loadClient(target);
    const pool = pools.get(target.protocol) ?? new Agent({ keepAlive: true });
    pools.set(target.protocol, pool);
    return pool;
  };
}

const invalidHeader = /^ERR_(INVALID_CHAR|INVALID_HTTP_TOKEN|HTTP_INVALID_HEADER_VALUE)$/;
const json = { "content-type": "application/json" };
const defaultHeaders = { "user-agent": "beckon", accept: "*/*" };

/**
 * Creates the HTTP port on Node's own client. On Node 20, a short-lived process takes four times as long with `fetch`.
 * @param now returns the current time, Unix milliseconds
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
      const retryAfterMs = rejection.retryAfterMs ?? readRequestedWaitMs(reply, now(), reason === "rate-limited");
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
  response.destroy(); // a redirect's body is useless and may never end
  const hint = "Use the address it redirects to in the configuration.";
  throw new DeliveryError("redirect", `${origin} redirects, and redirects are not followed`, { status, hint });
}

/** Sends a request. Resolves to the reply once its headers have arrived. An abort also ends reading the body. */
async function open(target: URL, message: HttpRequest, connections: Connections): Promise<IncomingMessage> {
  const { method = "GET", body, signal } = message;
  const isTls = target.protocol === "https:";
  const tls = isTls ? await tlsOptions(message.ca) : undefined;
  const { request: start } = await loadClient(target);
  const length = body === undefined ? undefined : { "content-length": String(Buffer.byteLength(body)) };
  const headers = { ...defaultHeaders, ...message.headers, ...length };
  const proxy = isProxied(target) ? await proxyAgent(target) : undefined;
  const agent = proxy ?? (await connections(target, method));
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const options = { ...tls, method, headers, agent, signal, lookup: lookUpHost };
    const request = start(target, options, (response) => {
      isAnswered = true;
      if (proxy !== undefined && response.statusCode === 407) refuse(407);
      resolve(response);
    });
    const refuse = (status: number): void => {
      reject(proxyRefusal(target, status));
      request.destroy();
    };
    // Only the agent of a tunnel passes the proxy's reply to this event.
    request.on("proxyConnect", ({ statusCode = 200 }: { statusCode?: number }) => {
      if (statusCode !== 200) refuse(statusCode);
    });
    request.on("error", (error) => {
      // The server may close a kept connection at the moment of reuse:
      // https://nodejs.org/api/http.html#requestreusedsocket
      const isStale = request.reusedSocket && readErrno(error) === "ECONNRESET" && !signal.aborted;
      if (isStale) resolve(open(target, message, freshConnections));
      else reject((proxy && proxyFailure(error)) ?? error);
    });
    request.on("close", () => {
      if (!isAnswered) reject(new Error("closed without an answer")); // after a 101 reply there is no error
    });
    request.end(body);
  });
}

/** Reads a reply and builds the result. Cuts the body at `maxReplyBytes`, before and after decoding. */
function read(target: URL, response: IncomingMessage, { maxReplyBytes = defaultReplyBytes, signal }: HttpRequest) {
  const chunks: Buffer[] = [];
  let size = 0;
  const finish = async (isCut: boolean): Promise<HttpReply> => {
    const coding = (size > 0 && response.headers["content-encoding"]) || "";
    const body = await decodeBody({ chunks, isCut, coding }, maxReplyBytes).catch(() => {
      throw networkError(target, `sent a reply that is not valid ${coding.slice(0, 100)}`, signal);
    });
    return { status: response.statusCode ?? 0, headers: flatHeaders(response.headers), ...body };
  };
  return new Promise<HttpReply>((resolve, reject) => {
    response.on("error", () => reject(networkError(target, "broke off in the middle of its reply", signal)));
    response.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= maxReplyBytes) return;
      resolve(finish(true));
      response.destroy();
    });
    response.on("end", () => resolve(finish(false)));
  });
}

function parseUrl(url: string): URL {
  const target = quietly(() => new URL(url)); // the error contains the address, which may be secret
  if (target?.protocol === "https:" || target?.protocol === "http:") return target;
  throw new DeliveryError("rejected", "the configured address is not an http(s) URL", { hint: "Check `url`." });
}

function sendError(target: URL, error: unknown, signal: AbortSignal): DeliveryError {
  if (error instanceof DeliveryError) return error;
  const code = readErrno(error) ?? "connection lost";
  if (!invalidHeader.test(code)) return networkError(target, `cannot be reached (${code})`, signal);
  const hint = "Headers must not contain line breaks or characters outside Latin-1.";
  return new DeliveryError("rejected", `a header for ${target.origin} cannot be sent (${code})`, { hint });
}

/** OpenSSL's error codes for a certificate from an untrusted authority. */
const untrustedCertificate = /SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE)|CERT_UNTRUSTED/;

function networkError({ origin, hostname, protocol }: URL, what: string, signal: AbortSignal): DeliveryError {
  if (signal.aborted && isBeingLookedUp(hostname)) {
    return new DeliveryError("timeout", `${origin} cannot be reached: looking up its address timed out`);
  }
  if (signal.aborted) return new DeliveryError("timeout", `${origin} did not answer in time`);
  return new DeliveryError("unavailable", `${origin} ${what}`, omitUndefined({ hint: hintForCode(what, protocol) }));
}

/** Returns a hint for the error code that a text contains; undefined for an unknown code. */
function hintForCode(text: string, protocol: string): string | undefined {
  if (untrustedCertificate.test(text)) {
    return "If the certificate comes from your own authority, set `ca` to that authority's PEM file.";
  }
  if (/EPROTO|ERR_SSL_|WRONG_VERSION_NUMBER/.test(text)) {
    return "The server does not support TLS or a current version of it. Check host and port, or use http://.";
  }
  if (!/HPE_/.test(text)) return undefined;
  const orTls = protocol === "http:" ? " or needs https://" : "";
  return `The server does not support HTTP${orTls}. Check host and port.`;
}

function classifyStatus(reply: HttpReply): Rejection | undefined {
  if (isSuccess(reply)) return undefined;
  return { reason: reasonForStatus(reply.status), message: `answered ${reply.status}` };
}

/** Maps an HTTP status other than 2xx and 3xx to its failure reason. */
function reasonForStatus(status: number): FailureReason {
  if (status === 401 || status === 403 || status === 404 || status === 410) return "auth";
  if (status === 429) return "rate-limited";
  if (status === 408 || status === 425 || status >= 500) return "unavailable";
  return "rejected";
}

/**
 * Joins repeated `set-cookie` headers. Node already joins all other repeated headers:
 * https://nodejs.org/docs/latest-v20.x/api/http.html#messageheaders
 */
function flatHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const cookies = headers["set-cookie"];
  const others = headers as Record<string, string>;
  return cookies === undefined ? others : { ...others, "set-cookie": cookies.join(", ") };
}

/** Pending lookups by host and address family. */
const underWay = new Map<string, Promise<LookupAddress[]>>();

/**
 * Looks up a host's addresses like Node's `lookup`. Lookups of the same host share one pending lookup, because a lookup
 * cannot be cancelled and blocks one of a few threads, for tens of seconds if the name server does not answer.
 * https://nodejs.org/docs/latest-v20.x/api/dns.html#implementation-considerations
 */
export const lookUpHost: LookupFunction = (host, { all = false, ...options }, callback) => {
  const key = `${host} ${options.family ?? 0} ${options.hints ?? 0}`;
  const lookUp = async () => (await import("node:dns/promises")).lookup(host, { ...options, all: true });
  const addresses = underWay.get(key) ?? lookUp();
  underWay.set(key, addresses);
  const end = () => underWay.delete(key);
  addresses.then(end, end);
  addresses.then(
    (found) => {
      const [first] = found;
      if (all) callback(null, found);
      else callback(null, first?.address ?? "", first?.family);
    },
    (error: NodeJS.ErrnoException) => callback(error, ""),
  );
};

/** Returns true if a lookup of a host is pending. */
export function isBeingLookedUp(host: string): boolean {
  return [...underWay.keys()].some((key) => key.startsWith(`${host} `));
}

/**
 * Decodes a body, or its beginning if it `isCut`, up to `maxBytes` of the decoded text, so that a small body cannot fill
 * the memory. `coding` is the value of `Content-Encoding`, or empty.
 * @throws for a body that is not valid in its coding
 */
async function decodeBody(
  { chunks, isCut, coding }: { readonly chunks: readonly Buffer[]; readonly isCut: boolean; readonly coding: string },
  maxBytes: number,
): Promise<Pick<HttpReply, "body" | "truncated" | "unknownCoding">> {
  const applied = listCodings(coding);
  const unknownCoding = findUnknown(applied);
  if (unknownCoding !== undefined) return { body: "", unknownCoding };
  let stream: Readable = Readable.from(chunks);
  for (const [index, name] of applied.toReversed().entries()) {
    const zlib = await import("node:zlib"); // few programs ever need it
    const decoder = createDecoder(zlib, name, index === 0 ? chunks[0] : undefined);
    stream = stream.on("error", (error) => decoder.destroy(error)).pipe(decoder);
  }
  const decoded: Buffer[] = [];
  let sizeBytes = 0;
  try {
    // Leaving the loop stops the decoders.
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      decoded.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) break;
    }
  } catch (error) {
    if (!isCut) throw error; // a body that was cut always ends in an error; its beginning is all that is needed
  }
  const body = Buffer.concat(decoded, Math.min(sizeBytes, maxBytes)).toString("utf8");
  return isCut || sizeBytes > maxBytes ? { body, truncated: true } : { body };
}

function createDecoder(zlib: typeof Zlib, name: string, start: Buffer | undefined): Transform {
  if (name === "br") return zlib.createBrotliDecompress();
  if (name !== "deflate") return zlib.createGunzip();
  // Some servers leave out the zlib header: https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.2
  const hasHeader = start === undefined || (Number(start[0]) & 0x0f) === 8;
  return hasHeader ? zlib.createInflate() : zlib.createInflateRaw();
}
