import { getEventListeners } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { HttpRequest } from "../../src/core/http-port.ts";
import { createFetchHttp } from "../../src/io/fetch-http.ts";
import { createHttp, keptConnections } from "../../src/io/http.ts";
import { repository, run } from "../world/home.ts";

/** For so long the server keeps an idle connection, milliseconds. */
const keepAliveTimeout = 120_000;

/** A server that tells on which connection each request came: `GET 1`, `GET 1`, `POST 2`. */
async function serve(after: (socket: Socket, request: number) => void = () => {}) {
  const connections: Socket[] = [];
  const seen: string[] = [];
  const server: Server = createServer({ keepAliveTimeout }, (request, response) => {
    seen.push(`${request.method} ${connections.indexOf(request.socket) + 1}`);
    after(request.socket, seen.length);
    if (!request.socket.destroyed) response.end("ok");
  });
  server.on("connection", (socket) => connections.push(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, seen };
}

const signal = AbortSignal.timeout(10_000);
const ask = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({ url, signal, ...more });

test("kept connections serve GET after GET; a POST or PATCH has its own", async () => {
  const { url, seen } = await serve();
  const http = createHttp(Date.now, keptConnections());
  for (const method of ["GET", "GET", "POST", "GET", "PATCH"] as const) await http.send(ask(url, { method }));
  expect(seen).toEqual(["GET 1", "GET 1", "POST 2", "GET 1", "PATCH 3"]);
});

test("by default each request has a connection of its own", async () => {
  const { url, seen } = await serve();
  const http = createHttp();
  for (let n = 0; n < 3; n += 1) await http.send(ask(url));
  expect(seen).toEqual(["GET 1", "GET 2", "GET 3"]);
});

test("a kept connection that breaks when it is used again is replaced once", async () => {
  const { url, seen } = await serve((socket, request) => request === 2 && socket.resetAndDestroy());
  const http = createHttp(Date.now, keptConnections());
  await http.send(ask(url));
  expect(await http.send(ask(url))).toMatchObject({ status: 200, body: "ok" });
  expect(seen).toEqual(["GET 1", "GET 1", "GET 2"]);
});

test("a request is repeated once, also where the server breaks every connection", async () => {
  const { url, seen } = await serve((socket, request) => request > 1 && socket.resetAndDestroy());
  const http = createHttp(Date.now, keptConnections());
  await http.send(ask(url));
  await expect(http.send(ask(url))).rejects.toMatchObject({ name: "DeliveryError", reason: "unavailable" });
  expect(seen).toEqual(["GET 1", "GET 1", "GET 2"]);
});

test("a request whose signal is aborted already is not sent", async () => {
  const { url, seen } = await serve();
  const http = createHttp(Date.now, keptConnections());
  await http.send(ask(url));
  await expect(http.send(ask(url, { signal: AbortSignal.abort() }))).rejects.toMatchObject({ reason: "timeout" });
  expect(seen).toHaveLength(1);
});

test.each([
  ["Node's client", createHttp(Date.now, keptConnections())],
  ["fetch", createFetchHttp(fetch)],
])("a request that is over leaves no listener on its signal: %s", async (_, http) => {
  const { url } = await serve();
  const watched = new AbortController().signal;
  for (let n = 0; n < 3; n += 1) await http.send(ask(url, { signal: watched }));
  await new Promise((resolve) => setImmediate(resolve));
  expect(getEventListeners(watched, "abort")).toEqual([]);
});

test("a signal that aborts ends a request through fetch", async () => {
  const late = new AbortController();
  const { url } = await serve(() => late.abort());
  const http = createFetchHttp(fetch);
  for (const aborted of [AbortSignal.abort(), late.signal]) {
    await expect(http.send(ask(url, { signal: aborted }))).rejects.toMatchObject({ reason: "timeout" });
  }
});

test("an idle kept connection keeps no process alive", async () => {
  const { url } = await serve();
  const program = `
    import { createHttp, keptConnections } from "${join(repository, "src", "io", "http.ts")}";
    const http = createHttp(Date.now, keptConnections());
    const { body } = await http.send({ url: ${JSON.stringify(url)}, signal: new AbortController().signal });
    console.log(body);`;
  const startedAtMs = performance.now();
  const result = await run(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], "", {
    env: { PATH: process.env["PATH"] },
    cwd: repository,
  });
  expect(result).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  expect(performance.now() - startedAtMs).toBeLessThan(keepAliveTimeout);
}, 150_000);
