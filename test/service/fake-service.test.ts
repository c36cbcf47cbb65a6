import { readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { dayOf, ServiceClient, type ServiceClientOptions } from "../../src/service.ts";
import { type FakeService, type FakeServiceOptions, fakeService } from "../../src/service-testing.ts";
import { dist } from "../world/home.ts";
import { catchFailure, noonMs, yesterday } from "../world/service/client.ts";
import { documentedEndpoints } from "../world/service/document.ts";

async function start(options: FakeServiceOptions = {}): Promise<FakeService> {
  const service = await fakeService({ now: () => noonMs, ...options });
  onTestFinished(() => service.close());
  return service;
}

/** Creates a client without the network and with the fake's clock, which does not wait between attempts. */
function connect(service: FakeService, options: Partial<ServiceClientOptions> = {}): ServiceClient {
  const { url, fetch, apiKey } = service;
  const credentials = options.jwt === undefined ? { apiKey } : {};
  const tuning = { now: () => noonMs, sleep: () => Promise.resolve() };
  const given = { baseUrl: url, appUrl: url, fetch, ...credentials, ...tuning, ...options };
  return new ServiceClient(given as ServiceClientOptions);
}

const june = { startDate: "2026-06-01", endDate: yesterday };

/** Reads everything that a service returns, from every list. */
async function readAll(client: ServiceClient): Promise<unknown[]> {
  const { analytics, enterpriseControls, readiness, sessions, users } = client;
  const lists = [analytics.tokens(june), analytics.tools(june), analytics.activity(june), analytics.productivity(june)];
  const others = [readiness.reports(), enterpriseControls.history(), sessions.list(), users.list()];
  const all = [...lists, analytics.users(june), ...others] as unknown as readonly { all(): Promise<unknown> }[];
  return Promise.all(all.map((list) => list.all()));
}

test("a fake service has users and days as ordered", async () => {
  const client = connect(await start({ users: 7, days: 3 }));
  expect(await client.users.list().all()).toHaveLength(7);
  const days = await client.analytics.activity(june).all();
  expect(days.map(({ date }) => date)).toEqual(["2026-06-12", "2026-06-13", "2026-06-14"]);
  expect(await client.analytics.users(june).all()).toHaveLength(21);
});

test("a fake service has 20 users and 30 days up to yesterday by default", async () => {
  vi.useFakeTimers({ now: noonMs, toFake: ["Date"] });
  const service = await fakeService();
  onTestFinished(() => service.close());
  const client = connect(service);
  const [endDate, startDate] = [1, 40].map((days) => dayOf(noonMs - days * 86_400_000)) as [string, string];
  expect(await client.users.list().all()).toHaveLength(20);
  expect((await client.analytics.activity({ startDate, endDate }).all()).map(({ date }) => date)).toHaveLength(30);
});

test("the same seed gives the same data, and another seed gives other data", async () => {
  const readSeed = async (seed: number) => readAll(connect(await start({ users: 5, days: 4, seed })));
  const [first, again, other] = await Promise.all([1, 1, 2].map(readSeed));
  expect(again).toEqual(first);
  for (const [index, rows] of (first ?? []).slice(0, 6).entries()) expect(other?.[index]).not.toEqual(rows);
});

test.each(["fetch", "url"] as const)("a fake service answers every operation by its %s", async (way) => {
  const service = await start({ users: 3 });
  const client = connect(service, way === "url" ? { fetch } : {});
  await readAll(client);
  const [session] = await client.sessions.list().take(1);
  const messages = await client.sessions.messages(session?.sessionId ?? "").all();
  await client.sessions.message(session?.sessionId ?? "", messages[0]?.id ?? "");
  await client.sessions.create({ computerId: "computer_1" });
  await client.computers.update("computer_1", { name: "mine" });
  await client.computers.installDeps("computer_1");
  const asked = service.requests.map(({ method, path }) => `${method} ${path}`);
  const patterns = documentedEndpoints.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, "[^/]+")}`);
  expect(patterns.filter((pattern) => !asked.some((line) => new RegExp(`^${pattern}$`).test(line)))).toEqual([]);
  expect(service.requests.map(({ status }) => status).filter((status) => status >= 300)).toEqual([]);
});

test("requests are recorded without their credentials", async () => {
  const service = await start();
  const headers = { cookie: "session=secret-of-a-test", "x-api-key": "secret-of-a-test", "x-team": "shop" };
  const client = connect(service, { headers });
  await client.computers.update("computer_2", { name: "builder" });
  await catchFailure(client.users.list({ limit: 5 }).page("none"));
  const [update, users] = service.requests;
  const sent = { method: "PATCH", path: "/api/v0/computers/computer_2", query: {}, body: { name: "builder" } };
  expect(update).toMatchObject({ ...sent, credential: "owner", status: 200 });
  expect(update?.headers).toMatchObject({ "content-type": "application/json", "x-team": "shop" });
  expect(users).toMatchObject({ method: "GET", query: { limit: "5", cursor: "none" }, body: undefined, status: 400 });
  expect(JSON.stringify(service.requests)).not.toMatch(/secret-of-a-test|Bearer|sandbox-owner/);
});

test("the next requests fail as often as ordered", async () => {
  const service = await start();
  service.fail(503, 2);
  service.fail(409);
  const client = connect(service, { maxRetries: 2 });
  expect(await catchFailure(client.users.list().page())).toMatchObject({ status: 409, title: "Conflict" });
  expect(await client.users.list().all()).toHaveLength(20);
  expect(service.requests.map(({ status }) => status)).toEqual([503, 503, 409, 200]);
});

test("a failure is recorded, and has the documented body", async () => {
  const service = await start();
  service.fail(429);
  const reply = await service.fetch(`${service.url}/anywhere`);
  expect(reply.status).toBe(429);
  const body = { title: "Too Many Requests", detail: expect.any(String), status: 429, requestId: "req_1" };
  expect(await reply.json()).toEqual(body);
});

test("a dropped day has no rows, in any endpoint of analytics", async () => {
  const service = await start({ users: 4, days: 14 });
  service.drop("2026-06-10");
  const { analytics } = connect(service);
  const lists = [
    analytics.tokens(june),
    analytics.tokens({ ...june, groupBy: "model" }),
    analytics.tools(june),
    analytics.activity(june),
    analytics.productivity(june),
    analytics.users(june),
  ] as unknown as readonly { all(): Promise<{ date: string }[]> }[];
  for (const list of lists) {
    const days = new Set((await list.all()).map(({ date }) => date));
    expect([days.size, days.has("2026-06-10"), days.has("2026-06-11")]).toEqual([13, false, true]);
  }
});

test("a request with an aborted signal is rejected and not recorded", async () => {
  const service = await start();
  await expect(service.fetch(service.url, { signal: AbortSignal.abort() })).rejects.toThrow("aborted");
  expect(service.requests).toEqual([]);
});

test.each<[what: string, act: (service: FakeService) => unknown]>([
  ["a status that is no failure", (service) => service.fail(200)],
  ["no times", (service) => service.fail(500, 0)],
  ["a day that does not exist", (service) => service.drop("2026-02-30")],
])("a fake service refuses %s", async (_, act) => {
  const service = await start();
  expect(() => act(service)).toThrow(RangeError);
});

test.each([{ users: -1 }, { users: 1.5 }, { days: Number.NaN }, { seed: "x" as never }])(
  "a fake service cannot be made with %j",
  (options) => expect(fakeService(options)).rejects.toThrow(RangeError),
);

test("a closed service ends connections that are still open", async () => {
  vi.useFakeTimers({ now: noonMs, toFake: ["Date"] });
  const service = await fakeService();
  const waiting = request(`${service.url}/api/v0/sessions`, { method: "POST" });
  const ended = new Promise((resolve) => waiting.once("error", resolve));
  await new Promise((resolve) => waiting.once("socket", (socket) => socket.once("connect", resolve)));
  waiting.write("{");
  await service.close();
  expect(await ended).toMatchObject({ code: "ECONNRESET" });
});

test("the client's files do not contain the fake", () => {
  const chunks = readdirSync(join(dist, "chunks", "library")).map((file) => join("chunks", "library", file));
  const files = ["service.js", "service-fetch.js", "service-testing.js", ...chunks];
  const having = files.filter((file) => readFileSync(join(dist, file), "utf8").includes("sandbox-owner"));
  expect(having).toEqual(["service-testing.js"]);
});
