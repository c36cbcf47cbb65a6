import { DeliveryError, readErrno } from "../core/errors.ts";
import { defaultReplyBytes, type HttpPort, type HttpReply, type HttpRequest } from "../core/http-port.ts";
import { findUndecoded } from "./content-coding.ts";

/**
 * Creates an HTTP port from a `fetch` function, such as a program's own or a test's. Redirects are not followed. The
 * `fetch` function must handle a certificate file (`ca`) itself.
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

type ReadBody = Pick<HttpReply, "body" | "truncated" | "unknownCoding">;

/** Reads a body, which `fetch` has decoded. */
async function readBody({ body, headers }: Response, maxBytes: number): Promise<ReadBody> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the reply's stream.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  const bytes = Buffer.concat(chunks, Math.min(size, maxBytes));
  const unknownCoding = findUndecoded(headers.get("content-encoding"), bytes);
  if (unknownCoding !== undefined) return { body: "", unknownCoding };
  const text = bytes.toString("utf8");
  return size > maxBytes ? { body: text, truncated: true } : { body: text };
}
