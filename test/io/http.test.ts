import { getEventListeners } from "node:events";
import { createServer } from "node:http";
import { createServer as createTcpServer, type Socket } from "node:net";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FailureReason } from "../../src/core/errors.ts";
import type { HttpReply, HttpRequest, Rejection, ReplyRules } from "../../src/core/http-port.ts";
import { createFetchHttp } from "../../src/io/fetch-http.ts";
import { createHttp, keptConnections } from "../../src/io/http.ts";
import { catchDeliveryError } from "../world/catch-delivery-error.ts";
import { collectFailures } from "../world/collect-failures.ts";
import { repository, run } from "../world/home.ts";
import {
  answer,
  type Behaviour,
  cutBody,
  endlessBody,
  garbage,
  type HostileServer,
  hangUp,
  htmlPage,
  hugeHeaders,
  openHostileServer,
  reset,
  silence,
  slowBody,
  slowHeaders,
  startHostileServer,
  upgrade,
} from "../world/hostile-server.ts";
import { listen } from "../world/listen.ts";

describe("http", () => {
  const nowMs = Date.parse("2026-11-20T12:00:00Z");
  const http = createHttp(() => nowMs);

  let server: HostileServer;
  let elsewhere: HostileServer;
  const paths: Record<string, Behaviour> = {
    "/silence": silence,
    "/slow-headers": slowHeaders,
    "/slow-body": slowBody(),
    "/endless-500": endlessBody(500),
    "/cut": cutBody,
    "/reset": reset,
    "/hang-up": hangUp,
    "/garbage": garbage,
    "/huge-headers": hugeHeaders,
    "/upgrade": upgrade,
    "/page": htmlPage,
  };

  const successes = [200, 201, 202, 204, 299];
  const statusesByReason = {
    auth: [401, 403, 404, 410],
    "rate-limited": [429],
    unavailable: [408, 425, 500, 501, 502, 503, 504, 599, 999],
    rejected: [400, 402, 405, 413, 418, 422, 451],
    redirect: [300, 301, 302, 303, 304, 305, 307, 308],
  } satisfies Partial<Record<FailureReason, readonly number[]>>;

  beforeAll(async () => {
    elsewhere = await startHostileServer();
    const location = `${elsewhere.origin}/stolen`;
    for (const status of [...successes, ...Object.values(statusesByReason).flat()])
      paths[`/${status}`] = answer(status, statusesByReason.redirect.includes(status) ? { location } : {});
    paths["/302-slow"] = slowBody(302, { location });
    paths["/wait"] = answer(429, { "retry-after": "7" });
    paths["/wait-503"] = answer(503, { "retry-after": new Date(nowMs + 60_000).toUTCString() });
    paths["/wait-absurd"] = answer(429, { "retry-after": "99999999" });
    paths["/wait-garbage"] = answer(429, { "retry-after": "soon" });
    server = await startHostileServer(paths);
  });
  afterAll(async () => {
    await server.close();
    await elsewhere.close();
  });

  const post = (path: string, more: Partial<HttpRequest> & ReplyRules = {}): Promise<HttpReply> =>
    http.post({ url: server.origin + path, body: "{}", signal: AbortSignal.timeout(5_000), ...more });

  describe("a status", () => {
    test("is success or a failure reason", async () => {
      for (const status of successes) expect(await post(`/${status}`)).toMatchObject({ status });
      const message = expect.stringContaining(server.origin);
      for (const [reason, statuses] of Object.entries(statusesByReason))
        for (const status of statuses)
          expect(await catchDeliveryError(post(`/${status}`))).toMatchObject({ reason, status, message });
    });

    test("is no error to `send`, except redirects", async () => {
      const send = (path: string) => http.send({ url: server.origin + path, signal: AbortSignal.timeout(5_000) });
      for (const status of [200, 404, 429, 500]) expect(await send(`/${status}`)).toMatchObject({ status, body: "ok" });
      expect(await catchDeliveryError(send("/302"))).toMatchObject({ reason: "redirect", status: 302 });
    });

    test("200 with a page is success without reply rules", async () => {
      expect(await post("/page")).toMatchObject({ status: 200, body: expect.stringContaining("log in") });
    });
  });

  test("a redirect is never followed, and is reported before its body ends", async () => {
    const error = await catchDeliveryError(post("/302-slow", { signal: AbortSignal.timeout(500) }));
    expect(error.reason).toBe("redirect");
    for (const status of [301, 302, 303, 307, 308])
      await catchDeliveryError(post(`/${status}`, { headers: { "x-api-key": "k" } }));
    expect(elsewhere.requests).toEqual([]);
  });

  describe("the pause a reply requests", () => {
    test.each([
      ["/wait", "rate-limited", 7_000],
      ["/wait-503", "unavailable", 60_000],
      ["/wait-absurd", "rate-limited", 6 * 3_600_000],
    ])("is read: %s", async (path, reason, retryAfterMs) => {
      expect(await catchDeliveryError(post(path))).toMatchObject({ reason, retryAfterMs });
    });

    test.each(["/wait-garbage", "/500", "/429"])("is undefined: %s", async (path) => {
      expect((await catchDeliveryError(post(path))).retryAfterMs).toBeUndefined();
    });
  });

  test("the status counts even if the body never ends", async () => {
    expect(await catchDeliveryError(post("/endless-500"))).toMatchObject({ reason: "unavailable", status: 500 });
  });

  describe("the deadline", () => {
    test("ends silence and slow replies as a timeout, and the connection too", async () => {
      const message = `${server.origin} did not answer in time`;
      for (const path of ["/silence", "/slow-headers", "/slow-body"]) {
        const error = await catchDeliveryError(post(path, { signal: AbortSignal.timeout(150) }));
        expect(error, path).toMatchObject({ reason: "timeout", message });
        await expect.poll(() => server.open.size).toBe(0);
      }
    });

    test("that has passed before the start is a timeout, and nothing is sent", async () => {
      const { length } = server.requests;
      expect((await catchDeliveryError(post("/200", { signal: AbortSignal.abort() }))).reason).toBe("timeout");
      expect(server.requests).toHaveLength(length);
    });
  });

  describe("reply rules", () => {
    const hints = { auth: "Check `token`." };
    const rejecting = (hint?: string) => (): Rejection => ({
      ...{ reason: "auth", message: "does not know you" },
      ...(hint !== undefined && { hint }),
    });
    const own = "Log in again.";

    test.each<[string, string, ReplyRules, string | undefined]>([
      ["the status's reason", "/401", { hints }, "Check `token`."],
      ["the rejection's reason", "/200", { hints, classifyReply: rejecting() }, "Check `token`."],
      ["the rejection itself, if it has one", "/401", { hints, classifyReply: rejecting(own) }, own],
      ["nothing, for a reason without one", "/500", { hints }, undefined],
      ["nothing, without hints", "/401", {}, undefined],
    ])("the hint comes from %s", async (_, path, rules, hint) => {
      expect((await catchDeliveryError(post(path, rules))).hint).toBe(hint);
    });

    test("reply rules get the time", async () => {
      const late = { reason: "rate-limited", message: "no" } as const;
      const classifyReply = (_: HttpReply, now: number): Rejection => ({ ...late, retryAfterMs: now - nowMs + 5 });
      expect(await catchDeliveryError(post("/200", { classifyReply }))).toMatchObject({
        reason: "rate-limited",
        retryAfterMs: 5,
      });
    });

    test.each([200, 401, 500])(
      "a %i that says there is nothing left to do is accepted by every rule",
      async (status) => {
        const isGone = (reply: HttpReply) => reply.status === status;
        expect(await post(`/${status}`, { classifyReply: rejecting(), isGone })).toMatchObject({ status });
      },
    );

    test("any other reply is still rejected", async () => {
      expect(await catchDeliveryError(post("/401", { isGone: () => false }))).toMatchObject({ reason: "auth" });
    });
  });

  describe("a request", () => {
    test("arrives as JSON, byte for byte, with its length", async () => {
      const body = JSON.stringify({ text: "Prüfung 👨‍👩‍👧 fertig\u2028" });
      await post("/200?a=b", { body, headers: { "x-custom": "1" } });
      const length = { "content-length": String(Buffer.byteLength(body)) };
      const headers = { "content-type": "application/json", ...length, "user-agent": "beckon", "x-custom": "1" };
      expect(server.requests.at(-1)).toMatchObject({ method: "POST", path: "/200?a=b", body, headers });
    });

    test("may have another content type, and logs in with the user and password of its address", async () => {
      const url = `${server.origin.replace("//", "//me:pass@")}/200`;
      await post("", { url, headers: { "content-type": "text/plain" } });
      const authorization = `Basic ${Buffer.from("me:pass").toString("base64")}`;
      expect(server.requests.at(-1)?.headers).toMatchObject({ "content-type": "text/plain", authorization });
    });

    test.each([
      ["a line end", "a\r\nx-injected: 1"],
      ["NUL", "a\0b"],
      ["letters beyond Latin-1", "schlüssel-€"],
    ])("with %s in a header is rejected, and never sent", async (_, value) => {
      const { length } = server.requests;
      await expect(post("/200", { headers: { "x-key": value } })).rejects.toMatchObject({ reason: "rejected" });
      expect(server.requests).toHaveLength(length);
    });

    test("to an address other than http(s) is rejected", async () => {
      const paths = ["", "nope", "/in", "//host/in", "file:///etc/passwd"];
      const urls = [...paths, "ftp://h/x", "javascript:alert(1)", "http://", "https://a b/"];
      const error = { reason: "rejected", message: "the configured address is not an http(s) URL" };
      const check = (url: string) => expect(post("", { url })).rejects.toMatchObject(error);
      expect(await collectFailures(urls, check)).toEqual([]);
    });
  });

  test("no error shows path, query or user of the address, a header or the body", async () => {
    const canary = "canary-4711-canary";
    const failing = [...Object.keys(paths), "/nowhere"].filter((path) => !/^\/(2\d\d|page)$/.test(path));
    const headers = { "x-api-key": canary, authorization: `Bearer ${canary}` };
    const secret = { headers, body: JSON.stringify({ canary }) };
    const gone = await startHostileServer();
    await gone.close();
    const urls = [
      ...failing.map((path) => `${server.origin.replace("//", `//me:${canary}@`)}${path}?key=${canary}`),
      `${gone.origin}/${canary}`,
      `${canary}://host/`,
      `not a url ${canary}`,
      `http://[${canary}]/`,
    ];
    for (const url of urls) {
      const error = await catchDeliveryError(post("", { ...secret, url, signal: AbortSignal.timeout(200) }));
      const badHeader = await catchDeliveryError(post("/200", { headers: { "x-key": `${canary}\n` } }));
      for (const failure of [error, badHeader]) {
        expect(inspect(failure, { depth: 10, showHidden: true })).not.toContain(canary);
        expect(JSON.stringify(failure)).not.toContain(canary);
      }
    }
  }, 20_000);
});

describe("http body", () => {
  const defaultMaxBytes = 64 * 1024;
  let server: HostileServer;

  async function get(behaviour: Behaviour, maxReplyBytes?: number) {
    server = await openHostileServer({ "*": behaviour });
    const limit = maxReplyBytes === undefined ? {} : { maxReplyBytes };
    return createHttp().send({ url: server.origin, signal: AbortSignal.timeout(5_000), ...limit });
  }

  describe("a reply's body", () => {
    test("longer than the limit is cut, and marked", async () => {
      for (const length of [9, 10, 11, 1_000_000]) {
        const { body, truncated = false } = await get(answer(200, {}, "x".repeat(length)), 10);
        expect([body, truncated]).toEqual(["x".repeat(Math.min(length, 10)), length > 10]);
      }
    });

    test.each<[string, Behaviour, true | undefined]>([
      ["of exactly 64 KiB", answer(200, {}, "x".repeat(defaultMaxBytes)), undefined],
      ["one byte longer", answer(200, {}, "x".repeat(defaultMaxBytes + 1)), true],
      ["without an end", endlessBody(), true],
    ])("%s is read up to 64 KiB by default, and the connection closed", async (_, behaviour, truncated) => {
      const reply = await get(behaviour);
      expect(reply.body).toBe("x".repeat(defaultMaxBytes));
      expect(reply.truncated).toBe(truncated);
      await expect.poll(() => server.open.size).toBe(0);
      expect(server.sentBytes()).toBeLessThan(16 * 1024 * 1024); // the size of the system's buffers
    });
  });

  test("a reply's headers have names in lower case, repeated ones joined", async () => {
    const { headers } = await get(answer(200, { "X-One": "1", "Set-Cookie": ["a=1", "b=2"] }));
    expect(headers).toMatchObject({ "x-one": "1", "set-cookie": "a=1, b=2" });
  });
});

/** Starts a server that records the connection of each request: `GET 1`, `GET 1`, `POST 2`. */
async function serve(after: (socket: Socket, request: number) => void = () => {}) {
  const connections: Socket[] = [];
  const seen: string[] = [];
  // Otherwise it would keep an idle connection for longer than any test lasts.
  const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    seen.push(`${request.method} ${connections.indexOf(request.socket) + 1}`);
    after(request.socket, seen.length);
    if (!request.socket.destroyed) response.end("ok");
  });
  server.on("connection", (socket) => connections.push(socket));
  return { url: `http://${await listen(server)}/`, seen };
}

const signal = AbortSignal.timeout(10_000);
const ask = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({ url, signal, ...more });

/** Creates the port as a worker has it, which keeps connections. */
const keeping = () => createHttp(undefined, keptConnections());

test("kept connections serve GET after GET; a POST or PATCH has a new one", async () => {
  const { url, seen } = await serve();
  const http = keeping();
  for (const method of ["GET", "GET", "POST", "GET", "PATCH"] as const) await http.send(ask(url, { method }));
  expect(seen).toEqual(["GET 1", "GET 1", "POST 2", "GET 1", "PATCH 3"]);
});

test("by default each request has a new connection", async () => {
  const { url, seen } = await serve();
  const http = createHttp();
  for (let n = 0; n < 3; n += 1) await http.send(ask(url));
  expect(seen).toEqual(["GET 1", "GET 2", "GET 3"]);
});

test.each([
  ["once", (request: number) => request === 2, { status: 200, body: "ok" }],
  ["every time", (request: number) => request > 1, { name: "DeliveryError", reason: "unavailable" }],
])("a kept connection that breaks %s when it is reused is replaced once", async (_, breaks, outcome) => {
  const { url, seen } = await serve((socket, request) => breaks(request) && socket.resetAndDestroy());
  const http = keeping();
  await http.send(ask(url));
  expect(await http.send(ask(url)).catch((error: unknown) => error)).toMatchObject(outcome);
  expect(seen).toEqual(["GET 1", "GET 1", "GET 2"]);
});

test.each([
  ["Node's client", keeping()],
  ["fetch", createFetchHttp(fetch)],
])("a finished request leaves no listener on its signal: %s", async (_, http) => {
  const { url } = await serve();
  const watched = new AbortController().signal;
  for (let n = 0; n < 3; n += 1) await http.send(ask(url, { signal: watched }));
  await new Promise((resolve) => setImmediate(resolve));
  expect(getEventListeners(watched, "abort")).toEqual([]);
});

test("an aborted signal ends a request through fetch", async () => {
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
    const http = createHttp(undefined, keptConnections());
    const { body } = await http.send({ url: ${JSON.stringify(url)}, signal: new AbortController().signal });
    console.log(body);`;
  const args = ["--import", "tsx", "--input-type=module", "-e", program];
  const result = await run(process.execPath, args, "", { env: { PATH: process.env["PATH"] }, cwd: repository });
  expect(result).toMatchObject({ exitCode: 0, stdout: "ok\n" });
}, 150_000);

/** Creates a server that sends first, as mail and SSH servers do. */
const speakFirst = (text: string) => createTcpServer((socket) => void socket.on("error", () => {}).end(text));

test("a TLS or HTTP error names the protocol that the address does not support", async () => {
  const plain = await listen(createServer((_, response) => void response.end("ok")));
  const ssh = await listen(speakFirst("SSH-2.0-OpenSSH_9.2\r\n"));
  const mail = await listen(speakFirst("220 mail.example.test ESMTP\r\n"));
  const rows = [
    ["TLS to an HTTP server", `https://${plain}/`, /does not support TLS.* http:\/\//],
    ["TLS to an SSH server", `https://${ssh}/`, /does not support TLS/],
    ["HTTP to an SSH server", `http://${ssh}/`, /does not support HTTP or needs https:\/\/\. Check host and port/],
    ["HTTP to a mail server", `http://${mail}/`, /does not support HTTP/],
  ] as const;
  const check = async ([, url, hint]: (typeof rows)[number]) => {
    const error = await createHttp()
      .send({ url, signal: AbortSignal.timeout(5000) })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ reason: "unavailable", hint: expect.stringMatching(hint) });
  };
  expect(await collectFailures(rows, check)).toEqual([]);
});
