import { DeliveryError, readErrno } from "../core/errors.ts";
import { defaultReplyBytes, type HttpPort, type HttpReply, type HttpRequest } from "../core/http-port.ts";
import { findUndecoded } from "./coding-names.ts";

/**
 * Creates an HTTP port from a `fetch` function, such as the one of a program that uses the client, or of a test. Does
 * not follow redirects. Ignores `ca`: the `fetch` function itself must trust a private certificate.
 */
export function createFetchHttp(fetchFn: typeof fetch): Pick<HttpPort, "send"> {
  return {
    async send({ signal, ...request }) {
      // `fetch` listens to its signal until the request is garbage-collected. Give each request a signal of its own.
      const own = new AbortController();
      const onAbort = (): void => own.abort();
      if (signal.aborted) onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        return await exchange(fetchFn, { ...request, signal: own.signal });
      } finally {
        signal.removeEventListener("abort", onAbort);
      }
    },
  };
}

async function exchange(fetchFn: typeof fetch, request: HttpRequest): Promise<HttpReply> {
  const { url, method = "GET", headers = {}, body, signal, maxReplyBytes = defaultReplyBytes } = request;
  const { origin } = new URL(url);
  const failed = (what: string) => (error: unknown) => {
    if (signal.aborted) throw new DeliveryError("timeout", `${origin} did not answer in time`);
    const code = readErrno(error) ?? readErrno((error as { cause?: unknown } | undefined)?.cause);
    throw new DeliveryError("unavailable", `${origin} ${what}${code === undefined ? "" : ` (${code})`}`);
  };
  const init = { method, headers: { ...headers }, signal, redirect: "manual" as const };
  const response = await fetchFn(url, body === undefined ? init : { ...init, body }).catch(failed("cannot be reached"));
  const { status } = response;
  if (response.type === "opaqueredirect" || (status >= 300 && status < 400)) {
    void response.body?.cancel().catch(() => {}); // a redirect's body is useless and may never end
    throw new DeliveryError("redirect", `${origin} redirects, and redirects are not followed`, { status });
  }
  const read = await readBody(response, maxReplyBytes).catch(failed("broke off in the middle of its reply"));
  return { status, headers: Object.fromEntries(response.headers), ...read };
}

/** Reads a body, which `fetch` has already decoded. */
async function readBody({ body, headers }: Response, maxBytes: number): Promise<Omit<HttpReply, "status" | "headers">> {
  const { bytes, isCut } = body === null ? { bytes: new Uint8Array(), isCut: false } : await readBytes(body, maxBytes);
  const unknownCoding = findUndecoded(headers.get("content-encoding"), bytes);
  if (unknownCoding !== undefined) return { body: "", unknownCoding };
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return isCut ? { body: text, truncated: true } : { body: text };
}

/** Reads the first `maxBytes` of a stream with a reader, because some browsers cannot loop over a stream. */
async function readBytes(stream: NonNullable<Response["body"]>, maxBytes: number) {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (size <= maxBytes) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    size += value.length;
  }
  if (size > maxBytes) void reader.cancel().catch(() => {});
  const whole = new Uint8Array(size); // not by way of a Blob, which not every platform has
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return { bytes: whole.subarray(0, maxBytes), isCut: size > maxBytes };
}
