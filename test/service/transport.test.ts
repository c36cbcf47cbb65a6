import { describe, expect, test } from "vitest";
import { DeliveryError } from "../../src/core/errors.ts";
import { Client } from "../../src/service/client.ts";
import { ServiceClient } from "../../src/service.ts";
import { collectFailures } from "../world/collect-failures.ts";
import {
  type Behaviour,
  cutBody,
  hangUp,
  htmlPage,
  inTurn,
  reset,
  silence,
  slowBody,
} from "../world/hostile-server.ts";
import { catchFailure } from "../world/service/client.ts";
import {
  apiKey,
  expectNoSecret,
  hostileClient,
  onePage,
  startHostileService,
  statusReply,
} from "../world/service/hostile-service.ts";

describe("a GET", () => {
  test("is also repeated by a client with the system's clock", async () => {
    const server = await startHostileService(inTurn(statusReply(500), onePage));
    const client = new ServiceClient({ baseUrl: server.origin, apiKey });
    expect((await client.users.list().page()).items).toEqual([{ id: "u1" }]);
  });

  test.each([
    ["as in Retry-After", statusReply(503, {}, { "retry-after": "7" }), [7000, 7000]],
    ["of half a second, doubled each time, without Retry-After", statusReply(503), [500, 1000]],
    ["of half a second, doubled, for a broken connection", reset, [500, 1000]],
  ])("is repeated after pauses %s", async (_, behaviour, expected) => {
    const server = await startHostileService(behaviour);
    const pauses: number[] = [];
    const sleep = async (ms: number) => void pauses.push(ms);
    await catchFailure(hostileClient(server.origin, { apiKey }, { sleep }).users.list().page());
    expect(pauses).toEqual(expected);
  });

  const inTwoSeconds = new Date(Date.now() + 2000).toUTCString();
  test.each([
    ["a date in Retry-After", inTurn(statusReply(429, {}, { "retry-after": inTwoSeconds }), onePage)],
    ["two failures", inTurn(statusReply(500), reset, onePage)],
    ["a 408", inTurn(statusReply(408), onePage)],
    ["a cut body", inTurn(cutBody, onePage)],
  ])("succeeds after %s", async (_, behaviour) => {
    const server = await startHostileService(behaviour);
    expect((await hostileClient(server.origin).users.list().page()).items).toHaveLength(1);
  });

  test("is not repeated if the pause would exceed its deadline", async () => {
    const server = await startHostileService(statusReply(429, {}, { "retry-after": "3600" }));
    const pauses: number[] = [];
    const options = { timeoutMs: 5000, sleep: async (ms: number) => void pauses.push(ms) };
    const thrown = await catchFailure(hostileClient(server.origin, { apiKey }, options).users.list().page());
    expect(thrown).toMatchObject({ name: "RateLimitError", retryAfterMs: 3_600_000 });
    expect([pauses, server.requests.length]).toEqual([[], 1]);
  });

  test("has one deadline for all attempts together", async () => {
    const server = await startHostileService(inTurn(statusReply(500), silence));
    const deadlines: AbortSignal[] = [];
    const sleep = async (_: number, signal: AbortSignal) => void deadlines.push(signal);
    // A zero pause fits into any deadline, however long a busy machine takes for the first attempt.
    const { users } = hostileClient(server.origin, { apiKey }, { sleep, random: () => 4 });
    expect(await catchFailure(users.list({}, { timeoutMs: 800 }).page())).toMatchObject({ name: "TimeoutError" });
    // The first attempt's deadline is the one that ended the second.
    expect(deadlines.map(({ aborted }) => aborted)).toEqual([true]);
    expect(server.requests).toHaveLength(2);
  });
});

const verbs: readonly (readonly [string, (client: ServiceClient) => Promise<unknown>])[] = [
  ["sessions.create", (client) => client.sessions.create({ computerId: "c1" })],
  ["computers.update", (client) => client.computers.update("c1", { name: "n" })],
  ["computers.installDeps", (client) => client.computers.installDeps("c1")],
];
const failures: readonly (readonly [string, Behaviour, string])[] = [
  ["429", statusReply(429, {}, { "retry-after": "1" }), "RateLimitError"],
  ["500", statusReply(500), "ServerError"],
  ["503", statusReply(503, {}, { "retry-after": "1" }), "ServerError"],
  ["a reset", reset, "ConnectionError"],
  ["no answer", hangUp, "ConnectionError"],
  ["a cut body", cutBody, "ConnectionError"],
  ["silence", silence, "TimeoutError"],
  ["a page of HTML", htmlPage, "ParseError"],
];
test("a request that changes data is sent once, whatever its result", async () => {
  const rows = verbs.flatMap(([verb, ask]) => failures.map((row) => [`${verb}, ${row[0]}`, ask, row] as const));
  const check = async ([, ask, [, behaviour, name]]: (typeof rows)[number]) => {
    const server = await startHostileService(behaviour);
    // A shorter deadline would leave no time for a second attempt, which must not happen.
    const options = behaviour === silence ? { timeoutMs: 100 } : {};
    const thrown = await catchFailure(ask(hostileClient(server.origin, { apiKey }, options)));
    expect(thrown).toMatchObject({ name });
    if (/Connection|Timeout/.test(name))
      expect(thrown).toMatchObject({ hint: expect.stringContaining("check before you repeat") });
    expect(server.requests).toHaveLength(1);
    expectNoSecret(thrown);
  };
  expect(await collectFailures(rows, check)).toEqual([]);
});

describe("a caller's signal", () => {
  test("that is already aborted prevents the request", async () => {
    const server = await startHostileService(onePage);
    const signal = AbortSignal.abort(new Error(apiKey));
    const thrown = await catchFailure(hostileClient(server.origin).users.list({}, { signal }).page());
    const message = `the call to ${server.origin} was aborted by its caller`;
    expect(thrown).toMatchObject({ name: "AbortError", reason: "timeout", message });
    expect([server.requests.length, server.open.size]).toEqual([0, 0]);
    expectNoSecret(thrown);
  });

  test.each([
    ["waits for an answer", silence],
    ["reads a body", slowBody()],
  ])("ends a call that %s at once, and closes its connection", async (_, behaviour) => {
    const server = await startHostileService(behaviour);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error(apiKey)), 100);
    const { users } = hostileClient(server.origin);
    const thrown = await catchFailure(users.list({}, { signal: controller.signal }).page());
    expect(thrown).toMatchObject({ name: "AbortError" });
    expectNoSecret(thrown);
    await expect.poll(() => server.open.size).toBe(0);
  });

  test("ends a pause between attempts", async () => {
    const server = await startHostileService(statusReply(429, {}, { "retry-after": "20" }));
    const client = new ServiceClient({ baseUrl: server.origin, apiKey });
    const thrown = await catchFailure(client.users.list({}, { signal: AbortSignal.timeout(100) }).page());
    // The caller's `AbortSignal.timeout` counts as a deadline. After the whole pause there would be another request.
    expect(thrown).toMatchObject({ name: "TimeoutError" });
    expect(server.requests).toHaveLength(1);
  });
});

test.each([
  ["ENOTFOUND", "The name server does not know this host"],
  ["EAI_AGAIN", "The name server does not answer"],
  ["ECONNREFUSED", "no server listens"],
  ["CERT_HAS_EXPIRED", "The service's certificate has expired"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "The certificate is for another host"],
])("an error without a reply names the party at fault: %s", async (code, says) => {
  const send = () => Promise.reject(new DeliveryError("unavailable", `https://api.test cannot be reached (${code})`));
  const client = new Client({ baseUrl: "https://api.test", apiKey, maxRetries: 0 }, { send });
  const thrown = await catchFailure(client.users.list().page());
  expect(thrown).toMatchObject({ name: "ConnectionError", hint: expect.stringContaining(says) });
});
