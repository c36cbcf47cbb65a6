import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { onTestFinished } from "vitest";

/** A server's answer to one request, which has been read to its end. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

type Behaviours = Readonly<Record<string, Behaviour>>;

/** A received request, whatever its answer. */
export interface Captured {
  readonly method: string;
  /** Path with the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly atMs: number;
}

export type HostileServer = Awaited<ReturnType<typeof startHostileServer>>;

const dripMs = 20;

/** Answers with a status, headers and a body. */
export const answer =
  (status: number, headers: Readonly<Record<string, string | string[]>> = {}, body = "ok"): Behaviour =>
  (_, response) =>
    void response.writeHead(status, headers).end(status === 204 || status === 304 ? undefined : body);

/** Answers with JSON. */
export const answerJson = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  answer(status, { "content-type": "application/json", ...headers }, JSON.stringify(body));

/** Accepts the request and never answers. */
export const silence: Behaviour = () => {};

/** Sends a status line, and then a header that never ends, byte by byte. */
export const slowHeaders: Behaviour = ({ socket }) => {
  socket.write("HTTP/1.1 200 OK\r\nx-slow: ");
  drip(socket, () => "a");
};

/** Answers with a body that comes byte by byte and never ends. */
export const slowBody =
  (status = 200, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (_, response) => {
    response.writeHead(status, headers).flushHeaders();
    if (response.socket) drip(response.socket, () => "1\r\na\r\n");
  };

/** Answers with a body that is as fast as the network and never ends. */
export const endlessBody =
  (status = 200): Behaviour =>
  (_, response) => {
    const chunk = Buffer.alloc(64 * 1024, "x");
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.writeHead(status).on("drain", more);
    more();
  };

/** Answers with a short body that claims to be 20 MB of zeros. */
export const gzipBomb: Behaviour = (_, response) => {
  const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024));
  response.writeHead(200, { "content-encoding": "gzip", "content-type": "text/plain" }).end(bomb);
};

/** Stops in the middle of the answer's body. */
export const cutBody: Behaviour = ({ socket }) => {
  socket.end("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nthe beginning");
};

/** Ends the connection with an RST after the request. */
export const reset: Behaviour = ({ socket }) => void socket.resetAndDestroy();

/** Ends the connection properly after the request, without an answer. */
export const hangUp: Behaviour = ({ socket }) => void socket.end();

/** Answers in another protocol. */
export const garbage: Behaviour = ({ socket }) => void socket.end("220 mail.example ESMTP\r\n");

/** Sends more headers than any client accepts. */
export const hugeHeaders: Behaviour = ({ socket }) => {
  socket.end(`HTTP/1.1 200 OK\r\n${`x-filler: ${"a".repeat(1000)}\r\n`.repeat(200)}\r\nok`);
};

/** Switches to another protocol. */
export const upgrade: Behaviour = ({ socket }) => {
  socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n");
};

/** Answers like a captive portal or a proxy, with 200 and a page. */
const loginPage = "<!doctype html><title>Please log in</title>";
export const htmlPage: Behaviour = answer(200, { "content-type": "text/html" }, loginPage);

/** Behaves differently at each request; after the last behaviour, repeats it. */
export function inTurn(...behaviours: readonly Behaviour[]): Behaviour {
  let count = 0;
  return (request, response) => {
    const behave = behaviours[Math.min(count, behaviours.length - 1)];
    count += 1;
    behave?.(request, response);
  };
}

/** Starts such a server until the requesting test, or the test of its `beforeEach`, has ended. */
export async function openHostileServer(paths: Behaviours): Promise<HostileServer> {
  const server = await startHostileServer(paths);
  onTestFinished(() => server.close());
  return server;
}

/** A real loopback HTTP server that misbehaves by path; other paths use `*`, or get 404. */
export async function startHostileServer(paths: Behaviours = {}, port = 0) {
  const requests: Captured[] = [];
  const open = new Set<Socket>();
  let closedBytes = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      requests.push({ method, path, headers, body: Buffer.concat(chunks).toString(), atMs: Date.now() });
      const behave = paths[path.replace(/\?.*/, "")] ?? paths["*"] ?? answer(404);
      behave(request, response);
    });
  });
  server.on("connection", (socket) => {
    open.add(socket);
    socket.on("error", () => {}); // clients hang up on us, as they should
    socket.on("close", () => {
      open.delete(socket);
      closedBytes += socket.bytesWritten;
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    /** Origin of the server, without a trailing slash. */
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    /** Connections that are open now. */
    open: open as ReadonlySet<Socket>,
    /** Bytes sent by this server so far, including those in the system's buffers. */
    sentBytes: () => [...open].reduce((sum, { bytesWritten }) => sum + bytesWritten, closedBytes),
    /** Refuses connections from now on. */
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function drip(socket: Socket, next: () => string): void {
  const timer = setInterval(() => socket.write(next()), dripMs);
  socket.on("close", () => clearInterval(timer));
}
