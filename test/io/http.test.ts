import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DeliveryError, type FailureReason } from "../../src/core/errors.ts";
import type { HttpReply, HttpRequest } from "../../src/core/http-port.ts";
import { createHttp } from "../../src/io/http.ts";
import {
  answer,
  type Behaviour,
  cutBody,
  endlessBody,
  garbage,
  gzipBomb,
  type HostileServer,
  hangUp,
  htmlPage,
  hugeHeaders,
  reset,
  silence,
  slowBody,
  slowHeaders,
  startHostileServer,
  upgrade,
} from "../helpers/hostile-server.ts";

const nowMs = Date.parse("2026-11-20T12:00:00Z");
const http = createHttp(() => nowMs);
const maxBytes = 64 * 1024;

let server: HostileServer;
let elsewhere: HostileServer;
const paths: Record<string, Behaviour> = {
  "/silence": silence,
  "/slow-headers": slowHeaders,
  "/slow-body": slowBody(),
  "/endless": endlessBody(),
  "/endless-500": endlessBody(500),
  "/bomb": gzipBomb,
  "/cut": cutBody,
  "/reset": reset,
  "/hang-up": hangUp,
  "/garbage": garbage,
  "/huge-headers": hugeHeaders,
  "/upgrade": upgrade,
  "/page": htmlPage,
  "/full": answer(200, {}, "x".repeat(maxBytes)),
  "/over": answer(200, {}, "x".repeat(maxBytes + 1)),
  "/headers": answer(200, { "X-One": "1", "Set-Cookie": ["a=1", "b=2"] }),
};

beforeAll(async () => {
  elsewhere = await startHostileServer();
  for (const status of [
    200, 201, 202, 204, 299, 400, 401, 402, 403, 404, 405, 408, 410, 413, 418, 422, 425, 429, 451,
  ]) {
    paths[`/${status}`] = answer(status);
  }
  for (const status of [500, 501, 502, 503, 504, 599, 999]) paths[`/${status}`] = answer(status);
  for (const status of [300, 301, 302, 303, 304, 305, 307, 308]) {
    paths[`/${status}`] = answer(status, { location: `${elsewhere.origin}/stolen` });
  }
  paths["/302-slow"] = slowBody(302, { location: `${elsewhere.origin}/stolen` });
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

const post = (path: string, more: Partial<HttpRequest> = {}): Promise<HttpReply> =>
  http.post({ url: server.origin + path, body: "{}", signal: AbortSignal.timeout(5_000), ...more });

async function errorOf(reply: Promise<unknown>): Promise<DeliveryError> {
  const error: unknown = await reply.then(
    (value) => value,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(DeliveryError);
  return error as DeliveryError;
}

describe("a status", () => {
  test.each([200, 201, 202, 204, 299])("%i is success", async (status) => {
    expect(await post(`/${status}`)).toMatchObject({ status });
  });

  test.each<[FailureReason, readonly number[]]>([
    ["auth", [401, 403, 404, 410]],
    ["rate-limited", [429]],
    ["unavailable", [408, 425, 500, 501, 502, 503, 504, 599, 999]],
    ["rejected", [400, 402, 405, 413, 418, 422, 451]],
    ["redirect", [300, 301, 302, 303, 304, 305, 307, 308]],
  ])("is %s: %j", async (reason, statuses) => {
    for (const status of statuses) {
      const error = await errorOf(post(`/${status}`));
      expect(error).toMatchObject({ reason, status });
      expect(error.message).toContain(server.origin);
    }
  });

  test("is an answer like any other to a plain request, but for redirects", async () => {
    const send = (path: string) => http.send({ url: server.origin + path, signal: AbortSignal.timeout(5_000) });
    for (const status of [200, 404, 429, 500]) expect(await send(`/${status}`)).toMatchObject({ status, body: "ok" });
    expect(await errorOf(send("/302"))).toMatchObject({ reason: "redirect", status: 302 });
  });

  test("200 with a page is for the notifier to judge", async () => {
    expect(await post("/page")).toMatchObject({ status: 200, body: expect.stringContaining("log in") });
  });
});

test("a redirect's target is never asked, and a redirect is one however slowly it comes", async () => {
  const error = await errorOf(post("/302-slow", { signal: AbortSignal.timeout(500) }));
  expect(error.reason).toBe("redirect");
  for (const status of [301, 302, 303, 307, 308]) await errorOf(post(`/${status}`, { headers: { "x-api-key": "k" } }));
  expect(elsewhere.requests).toEqual([]);
});

describe("when to come back", () => {
  test.each([
    ["/wait", "rate-limited", 7_000],
    ["/wait-503", "unavailable", 60_000],
    ["/wait-absurd", "rate-limited", 6 * 3_600_000],
  ])("is told by %s", async (path, reason, retryAfterMs) => {
    expect(await errorOf(post(path))).toMatchObject({ reason, retryAfterMs });
  });

  test.each(["/wait-garbage", "/500", "/429"])("is not told by %s", async (path) => {
    expect((await errorOf(post(path))).retryAfterMs).toBeUndefined();
  });
});

describe("a connection that fails", () => {
  test.each(["/reset", "/hang-up", "/garbage", "/huge-headers", "/upgrade"])("is unavailable: %s", async (path) => {
    const error = await errorOf(post(path));
    expect(error.reason).toBe("unavailable");
    expect(error.message).toMatch(new RegExp(`^${server.origin} cannot be reached \\([\\w -]+\\)$`));
  });

  test("is unavailable: a reply that breaks off", async () => {
    const error = await errorOf(post("/cut"));
    expect(error).toMatchObject({
      reason: "unavailable",
      message: `${server.origin} broke off in the middle of its reply`,
    });
  });

  test("is unavailable: nobody listens", async () => {
    const gone = await startHostileServer();
    await gone.close();
    const error = await errorOf(http.send({ url: gone.origin, signal: AbortSignal.timeout(5_000) }));
    expect(error).toMatchObject({ reason: "unavailable", message: `${gone.origin} cannot be reached (ECONNREFUSED)` });
  });
});

describe("the deadline", () => {
  test.each(["/silence", "/slow-headers", "/slow-body"])(
    "ends %s as a timeout, and the connection with it",
    async (path) => {
      const startedAtMs = performance.now();
      const error = await errorOf(post(path, { signal: AbortSignal.timeout(150) }));
      expect(error).toMatchObject({ reason: "timeout", message: `${server.origin} did not answer in time` });
      expect(performance.now() - startedAtMs).toBeLessThan(1_000);
      await expect.poll(() => server.open.size).toBe(0);
    },
  );

  test("that is over before the start is a timeout, and nothing is sent", async () => {
    const { length } = server.requests;
    expect((await errorOf(post("/200", { signal: AbortSignal.abort() }))).reason).toBe("timeout");
    expect(server.requests).toHaveLength(length);
  });
});

describe("of a reply", () => {
  test.each(["/endless", "/over", "/full"])("64 kB are read and no more: %s", async (path) => {
    const before = server.sentBytes();
    const reply = await post(path);
    expect(reply).toMatchObject({ status: 200, body: "x".repeat(maxBytes) });
    await expect.poll(() => server.open.size).toBe(0);
    expect(server.sentBytes() - before).toBeLessThan(16 * 1024 * 1024); // what fits into the system's buffers
  });

  test("the status counts although its body never ends", async () => {
    expect(await errorOf(post("/endless-500"))).toMatchObject({ reason: "unavailable", status: 500 });
  });

  test("as little is read as is asked for", async () => {
    expect((await post("/endless", { maxReplyBytes: 10 })).body).toBe("xxxxxxxxxx");
  });

  test("nothing is inflated", async () => {
    const { body } = await post("/bomb");
    expect(Buffer.byteLength(body)).toBeLessThan(3 * maxBytes);
    expect(body).not.toContain("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0".repeat(1000));
  });

  test("headers come with lower-case names, repeated ones joined", async () => {
    expect((await post("/headers")).headers).toMatchObject({ "x-one": "1", "set-cookie": "a=1, b=2" });
  });
});

describe("a request", () => {
  test("arrives as JSON, byte by byte, with its length", async () => {
    const body = JSON.stringify({ text: "Prüfung 👨‍👩‍👧 fertig\u2028" });
    await post("/200?a=b", { body, headers: { "x-custom": "1" } });
    expect(server.requests.at(-1)).toMatchObject({
      method: "POST",
      path: "/200?a=b",
      body,
      headers: {
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
        "user-agent": "beckon",
        "x-custom": "1",
      },
    });
  });

  test("may say of what type it is", async () => {
    await post("/200", { headers: { "content-type": "text/plain" } });
    expect(server.requests.at(-1)?.headers["content-type"]).toBe("text/plain");
  });

  test("shows who it is by the address, where that says so", async () => {
    await post("", { url: `${server.origin.replace("//", "//me:pass@")}/200` });
    expect(server.requests.at(-1)?.headers.authorization).toBe(`Basic ${Buffer.from("me:pass").toString("base64")}`);
  });

  test.each([
    ["a line end", "a\r\nx-injected: 1"],
    ["NUL", "a\0b"],
    ["letters beyond Latin-1", "schlüssel-€"],
  ])("with %s in a header is rejected, and never sent", async (_, value) => {
    const { length } = server.requests;
    const error = await errorOf(post("/200", { headers: { "x-key": value } }));
    expect(error.reason).toBe("rejected");
    expect(server.requests).toHaveLength(length);
  });

  test.each([
    "",
    "nope",
    "/in",
    "//host/in",
    "file:///etc/passwd",
    "ftp://h/x",
    "javascript:alert(1)",
    "http://",
    "https://a b/",
  ])("to %j is rejected", async (url) => {
    const error = await errorOf(post("", { url }));
    expect(error).toMatchObject({ reason: "rejected", message: "the configured address is not an http(s) URL" });
  });
});

test("no failure shows the address' path, query or user, nor a header, nor the body", async () => {
  const canary = "canary-4711-canary";
  const failing = [...Object.keys(paths), "/nowhere"].filter(
    (path) => !/^\/(2\d\d|page|full|over|headers|bomb|endless)$/.test(path),
  );
  const secret = {
    headers: { "x-api-key": canary, authorization: `Bearer ${canary}` },
    body: JSON.stringify({ canary }),
  };
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
    const error = await errorOf(post("", { ...secret, url, signal: AbortSignal.timeout(200) }));
    const badHeader = await errorOf(post("/200", { headers: { "x-key": `${canary}\n` } }));
    for (const one of [error, badHeader]) {
      expect(inspect(one, { depth: 10, showHidden: true })).not.toContain(canary);
      expect(JSON.stringify(one)).not.toContain(canary);
    }
  }
}, 20_000);
