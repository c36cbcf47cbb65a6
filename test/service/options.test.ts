import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { type SentRequest, type SentResult, ServiceClient, type ServiceClientOptions } from "../../src/service.ts";
import { answer, inTurn, reset } from "../world/hostile-server.ts";
import { failureOf } from "../world/service/client.ts";
import {
  apiKey,
  expectNoSecret,
  hostileClient,
  jsonReply,
  lastPage,
  onePage,
  startHostileService,
  statusReply,
} from "../world/service/hostile-service.ts";

const body = JSON.stringify({ users: [{ id: "u1" }], pagination: lastPage });
const limits = { "x-request-id": "req_1", "x-ratelimit-limit": "60", "x-ratelimit-remaining": "59" };

test("withResponse() has status, headers, request id and rate limits beside the data", async () => {
  const server = await startHostileService(answer(200, limits, body));
  const { data, response } = await hostileClient(server.origin).users.list().page().withResponse();
  expect(data.items).toEqual([{ id: "u1" }]);
  expect(response).toMatchObject({ status: 200, requestId: "req_1", rateLimit: { limit: 60, remaining: 59 } });
  expect(response.headers).toMatchObject({ "x-ratelimit-limit": "60" });
});

test("withResponse() of a call that fails rejects once, and nothing else does", async () => {
  const unhandled: unknown[] = [];
  const listen = (error: unknown) => void unhandled.push(error);
  process.on("unhandledRejection", listen);
  onTestFinished(() => void process.off("unhandledRejection", listen));
  const server = await startHostileService(statusReply(404));
  const failed = hostileClient(server.origin).computers.installDeps("c1").withResponse();
  expect(await failureOf(failed)).toMatchObject({ name: "NotFoundError" });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(unhandled).toEqual([]);
});

describe("retries", () => {
  const passing = statusReply(503);
  test.each([
    ["none by the client", { maxRetries: 0 }, {}, 1],
    ["five by the client", { maxRetries: 5 }, {}, 6],
    ["one by the call, in place of the client's", { maxRetries: 5 }, { maxRetries: 1 }, 2],
    ["two by default", {}, {}, 3],
  ])("%s", async (_, options, call, requests) => {
    const server = await startHostileService(passing);
    await failureOf(hostileClient(server.origin, { apiKey }, options).users.list({}, call).page());
    expect(server.requests).toHaveLength(requests);
  });

  test.each([
    ["408", inTurn(statusReply(408), onePage)],
    ["a reset", inTurn(reset, onePage)],
  ])("follow %s", async (_, behaviour) => {
    const server = await startHostileService(behaviour);
    expect(await hostileClient(server.origin).users.list().all()).toHaveLength(1);
  });

  test("come after the service's retry-after-ms, else after a pause with jitter", async () => {
    const pauses: number[] = [];
    const options = { sleep: async (ms: number) => void pauses.push(ms), random: () => 1 };
    for (const headers of [{ "retry-after-ms": "1500", "retry-after": "9" }, {}]) {
      const server = await startHostileService(statusReply(429, {}, headers));
      await failureOf(hostileClient(server.origin, { apiKey }, options).users.list().page());
    }
    expect(pauses).toEqual([1500, 1500, 375, 750]);
  });
});

test("headers of the client and of a call are sent, with the client's version", async () => {
  const server = await startHostileService(onePage);
  const client = hostileClient(server.origin, { apiKey }, { headers: { "X-Team": "a", "x-trace": "1" } });
  await client.users.list({}, { headers: { "X-Trace": "2" } }).page();
  expect(server.requests[0]?.headers).toMatchObject({
    "x-team": "a",
    "x-trace": "2",
    authorization: `Bearer ${apiKey}`,
  });
  expect(server.requests[0]?.headers["user-agent"]).toMatch(/^beckon\/\d+\.\d+\.\d+ node\/\d+/);
});

test("hooks are told of every attempt, without the key", async () => {
  const sent: SentRequest[] = [];
  const ended: SentResult[] = [];
  const hooks = {
    onRequest: (one: SentRequest) => void sent.push(one),
    onResponse: (one: SentResult) => void ended.push(one),
  };
  const server = await startHostileService(inTurn(reset, statusReply(500), onePage));
  await hostileClient(server.origin, { apiKey }, hooks).users.list({ limit: 5 }).page();
  const url = `${server.origin}/api/v0/organization/users?limit=5`;
  expect(sent.map((one) => [one.method, one.url, one.attempt])).toEqual([1, 2, 3].map((n) => ["GET", url, n]));
  expect(ended.map(({ status, error }) => status ?? error?.name)).toEqual(["ConnectionError", 500, 200]);
  expectNoSecret({ sent, ended });
});

test("request() reaches what the client does not know, with key, retries and errors as ever", async () => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.writeHead(seen.length === 1 ? 503 : 200, { "content-type": "application/json" }).end('{"teams":[1]}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const client = hostileClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x`);
  expect(await client.request("GET", "/api/v0/teams", { query: { limit: 5, cursor: undefined } })).toEqual({
    teams: [1],
  });
  expect(seen).toEqual([1, 2].map(() => `GET /x/api/v0/teams?limit=5 Bearer ${apiKey}`));
  for (const path of ["api", "/a/../b", "/a/%2e%2E/b", "/a?b", "/a\\b", "/ä"]) {
    expect(await failureOf(client.request("GET", path))).toMatchObject({ name: "ArgumentError", parameter: "path" });
  }
  expect(seen).toHaveLength(2);
});

test("a fetch of the caller's own sends the requests", async () => {
  const server = await startHostileService(jsonReply({ users: [{ id: "u1" }], pagination: lastPage }));
  const urls: string[] = [];
  const own: typeof fetch = (input, init) => {
    urls.push(String(input));
    return fetch(input, init);
  };
  const options = { baseUrl: server.origin, apiKey, fetch: own, sleep: async () => {} };
  expect(await new ServiceClient(options).users.list().all()).toEqual([{ id: "u1" }]);
  expect(urls).toEqual([`${server.origin}/api/v0/organization/users?limit=100`]);
  const redirect = await startHostileService(answer(307, { location: server.origin }));
  const away = new ServiceClient({ ...options, baseUrl: redirect.origin }).users.list().all();
  expect(await failureOf(away)).toMatchObject({ name: "RedirectError" });
  const small = new ServiceClient({ ...options, maxReplyBytes: 10, maxRetries: 0 }).users.list({ limit: 1 }).all();
  expect(await failureOf(small)).toMatchObject({ name: "ParseError", truncated: true });
});

describe("an option that cannot be used is refused:", () => {
  const good = { baseUrl: "https://api.example.com", apiKey };
  test.each([
    ["attempts", { attempts: 3 }],
    ["maxRetries", { maxRetries: -1 }],
    ["maxRetries", { maxRetries: "2" }],
    ["timeoutMs", { timeoutMs: 0 }],
    ["maxReplyBytes", { maxReplyBytes: 1.5 }],
    ["headers", { headers: { Authorization: "Bearer mine" } }],
    ["headers", { headers: { "x-a": "a\nb" } }],
    ["fetch", { fetch: "node-fetch" }],
    ["onRequest", { onRequest: true }],
  ])("%s of the client in %j", async (parameter, options) => {
    const made = (async () => new ServiceClient({ ...good, ...options } as ServiceClientOptions))();
    expect(await failureOf(made)).toMatchObject({ name: "ArgumentError", parameter });
  });

  test.each([
    ["timeout", { timeout: 5 }],
    ["maxRetries", { maxRetries: 11 }],
    ["signal", { signal: {} }],
    ["headers", { headers: { host: "other" } }],
  ])("%s of a call in %j", async (parameter, options) => {
    const made = new ServiceClient(good).users.list({}, options as object).page();
    expect(await failureOf(made)).toMatchObject({ name: "ArgumentError", parameter });
  });
});
