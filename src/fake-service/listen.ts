import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Incoming, Reply } from "./answer.ts";

/** A server on this machine. */
export interface Listener {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Stops the server and ends all connections. */
  close(): Promise<void>;
}

/** A request as it came over the network. */
export type Received = Omit<Incoming, "host"> & { readonly headers: Readonly<Record<string, string>> };

/** Time for which an idle connection stays open. */
const keepAliveMs = 10 * 60_000;

/**
 * Serves requests on 127.0.0.1. An unused server does not keep the process alive if `isBackground`.
 * @param port any free port by default
 */
export async function listen(
  respond: (request: Received) => Reply,
  { port = 0, isBackground = false }: { readonly port?: number; readonly isBackground?: boolean } = {},
): Promise<Listener> {
  const server = createServer(async (request, response) => {
    const body = await readBody(request).catch(() => undefined);
    if (body === undefined) return; // the client is gone
    const reply = respond(describe(request, body));
    response.writeHead(reply.status, { "content-type": "application/json" }).end(JSON.stringify(reply.body));
  });
  // A test on a busy machine may pause for longer than Node's five seconds, and then reuse its connection.
  server.keepAliveTimeout = keepAliveMs;
  if (isBackground) server.unref().on("connection", (socket) => socket.unref());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function describe({ method = "GET", url, headers }: IncomingMessage, body: string): Received {
  const { authorization = null, "content-type": contentType = null } = headers;
  return { method, url: parseTarget(url), authorization, contentType, headers: flatten(headers), body };
}

function flatten(headers: IncomingMessage["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Parses a request's target; a target other than a path, such as `//`, becomes `/`. */
function parseTarget(target = "/"): URL {
  const host = "http://fake-service";
  return URL.canParse(target, host) ? new URL(target, host) : new URL(host);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
