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
} from "../world/hostile-server.ts";

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

  test("is no error to `send`, but for redirects", async () => {
    const send = (path: string) => http.send({ url: server.origin + path, signal: AbortSignal.timeout(5_000) });
    for (const status of [200, 404, 429, 500]) expect(await send(`/${status}`)).toMatchObject({ status, body: "ok" });
    expect(await errorOf(send("/302"))).toMatchObject({ reason: "redirect", status: 302 });
  });

  test("200 with a page is success without reply rules", async () => {
    expect(await post("/page")).toMatchObject({ status: 200, body: expect.stringContaining("log in") });
  });
});

test("a redirect is never followed, and is reported before its body ends", async () => {
  const error = await errorOf(post("/302-slow", { signal: AbortSignal.timeout(500) }));
  expect(error.reason).toBe("redirect");
  for (const status of [301, 302, 303, 307, 308]) await errorOf(post(`/${status}`, { headers: { "x-api-key": "k" } }));
  expect(elsewhere.requests).toEqual([]);
});

describe("the pause a reply asks for", () => {
  test.each([
    ["/wait", "rate-limited", 7_000],
    ["/wait-503", "unavailable", 60_000],
    ["/wait-absurd", "rate-limited", 6 * 3_600_000],
  ])("is read: %s", async (path, reason, retryAfterMs) => {
    expect(await errorOf(post(path))).toMatchObject({ reason, retryAfterMs });
  });

  test.each(["/wait-garbage", "/500", "/429"])("is undefined: %s", async (path) => {
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

test("the status counts although the body never ends", async () => {
  expect(await errorOf(post("/endless-500"))).toMatchObject({ reason: "unavailable", status: 500 });
});

describe("the deadline", () => {
  test.each(["/silence", "/slow-headers", "/slow-body"])(
    "ends %s as a timeout, and the connection with it",
    async (path) => {
      const error = await errorOf(post(path, { signal: AbortSignal.timeout(150) }));
      expect(error).toMatchObject({ reason: "timeout", message: `${server.origin} did not answer in time` });
      await expect.poll(() => server.open.size).toBe(0);
    },
  );

  test("that has passed before the start is a timeout, and nothing is sent", async () => {
    const { length } = server.requests;
    expect((await errorOf(post("/200", { signal: AbortSignal.abort() }))).reason).toBe("timeout");
    expect(server.requests).toHaveLength(length);
  });
});

test("no error shows path, query or user of the address, a header or the body", async () => {
  const canary = "canary-4711-canary";
  const failing = [...Object.keys(paths), "/nowhere"].filter((path) => !/^\/(2\d\d|page)$/.test(path));
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
