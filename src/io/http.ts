import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { DeliveryError, errnoOf } from "../core/errors.ts";
import type { HttpPort, HttpReply, HttpRequest, Refusal } from "../core/http-port.ts";
import { isSuccess } from "../notifiers/shared/reply-rules.ts";
import { askedWaitMs } from "../core/retry-after.ts";
import { reasonOfStatus } from "./http-reason.ts";
import { type Connections, freshConnections } from "./kept-connections.ts";

const defaultReplyBytes = 64 * 1024;
const invalidHeaderCodes: readonly string[] = [
  "ERR_INVALID_CHAR",
  "ERR_INVALID_HTTP_TOKEN",
  "ERR_HTTP_INVALID_HEADER_VALUE",
];
const json = { "content-type": "application/json" };

/**
 * HTTP through Node's own client: a quarter of what `fetch` costs a short-lived process on Node 20.
 * @param connections `keptConnections()` for many requests to one address; a connection for each request by default
 */
export function createHttp(now: () => number = Date.now, connections: Connections = freshConnections): HttpPort {
  return {
    send: (request) => send(request, connections),
    async post({ judge, hints, ...request }) {
      const kind = request.body === undefined ? {} : json;
      const message = { method: "POST", ...request, headers: { ...kind, ...request.headers } } as const;
      const reply = await send(message, connections);
      const refusal = judge?.(reply, now()) ?? refusalOf(reply);
      if (!refusal) return reply;
      const hint = refusal.hint ?? hints?.[refusal.reason];
      throw refused(request.url, reply, { ...refusal, ...(hint !== undefined && { hint }) }, now());
    },
  };
}

async function send(request: HttpRequest, connections: Connections): Promise<HttpReply> {
  const target = parseUrl(request.url);
  const response = await open(target, request, connections).catch((error: unknown) => {
    throw unsent(target, error, request.signal);
  });
  const status = response.statusCode ?? 0;
  if (status >= 300 && status < 400) {
    response.destroy(); // its body says nothing, and may never end
    throw redirectError(target, status);
  }
  const reply = await collect(response, request.maxReplyBytes ?? defaultReplyBytes).catch(() => {
    throw networkError(target, "broke off in the middle of its reply", request.signal);
  });
  return { status, headers: flatHeaders(response.headers), ...reply };
}

/** Sends the request; resolves when the head of the reply is there. The signal stays in force for the body. */
function open(target: URL, message: HttpRequest, connections: Connections): Promise<IncomingMessage> {
  const { method = "GET", headers = {}, body, signal } = message;
  const start = target.protocol === "https:" ? requestHttps : requestHttp;
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const allHeaders = { "user-agent": "beckon", accept: "*/*", ...headers, ...length };
  const agent = connections(target, method);
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const request = start(target, { method, headers: allHeaders, agent }, (response) => {
      isAnswered = true;
      resolve(response);
    });
    // By hand: Node's own `signal` option costs a tenth of a short request.
    const onAbort = (): void => void request.destroy();
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    request.on("error", (error) => {
      // A kept connection may be closed in the moment it is used again: https://nodejs.org/api/http.html#requestreusedsocket
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

/** Reads at most `maxBytes` of a body and hangs up; a body cut short by the other side is an error. */
function collect(response: IncomingMessage, maxBytes: number): Promise<Pick<HttpReply, "body" | "truncated">> {
  const chunks: Buffer[] = [];
  let size = 0;
  const bodyOf = (): string => Buffer.concat(chunks, Math.min(size, maxBytes)).toString("utf8");
  return new Promise((resolve, reject) => {
    response.on("error", reject);
    response.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= maxBytes) return;
      resolve({ body: bodyOf(), truncated: true });
      response.destroy();
    });
    response.on("end", () => resolve({ body: bodyOf() }));
  });
}

function parseUrl(url: string): URL {
  // `new URL` keeps the text of a bad address in its error, and the address may hold a secret.
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (target?.protocol === "https:" || target?.protocol === "http:") return target;
  throw new DeliveryError("rejected", "the configured address is not an http(s) URL", { hint: "Check its `url`." });
}

function redirectError({ origin }: URL, status: number): DeliveryError {
  const hint = "Put the final address into the configuration.";
  return new DeliveryError("redirect", `${origin} redirects, and redirects are not followed`, { status, hint });
}

function unsent(target: URL, error: unknown, signal: AbortSignal): DeliveryError {
  const code = errnoOf(error);
  if (code === undefined || !invalidHeaderCodes.includes(code)) {
    return networkError(target, `cannot be reached (${code ?? "connection lost"})`, signal);
  }
  const hint = "Line ends and characters beyond Latin-1 are not allowed in headers.";
  return new DeliveryError("rejected", `a header for ${target.origin} cannot be sent (${code})`, { hint });
}

function networkError({ origin }: URL, what: string, signal: AbortSignal): DeliveryError {
  if (signal.aborted) return new DeliveryError("timeout", `${origin} did not answer in time`);
  return new DeliveryError("unavailable", `${origin} ${what}`);
}

function refusalOf(reply: HttpReply): Refusal | undefined {
  if (isSuccess(reply)) return undefined;
  return { reason: reasonOfStatus(reply.status), message: `answered ${reply.status}` };
}

function refused(url: string, reply: HttpReply, { reason, message, ...more }: Refusal, nowMs: number): DeliveryError {
  const wait = more.retryAfterMs ?? askedWaitMs(reply, nowMs, reason === "rate-limited");
  const details = { ...more, status: reply.status, ...(wait !== undefined && { retryAfterMs: wait }) };
  return new DeliveryError(reason, `${new URL(url).origin} ${message}`, details);
}

function flatHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const entries = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]));
}
