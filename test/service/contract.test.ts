import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endpoints, type List, type ServiceClient } from "../../src/service.ts";
import { jwt, keys } from "../world/service/access.ts";
import { clientOf, failureOf, lastDay, noonMs } from "../world/service/client.ts";
import { documentedEndpoints } from "../world/service/document.ts";
import { type Sandbox, startSandbox } from "../world/service/server.ts";
import { longestSession, makeSession } from "../world/service/sessions.ts";
import { type Ask, asks, count } from "./asks.ts";
import { documentRows, rowsSeen } from "./coverage.ts";

/** The client against the API document: for every row of the document, a request to the sandbox. */

const session = makeSession(longestSession).sessionId;

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => noonMs });
});
afterAll(() => sandbox.close());

/** For each row of the document, the titles of the tests whose requests exercised it. */
const coverage = new Map<string, Set<string>>();

/** The result of an operation, and the rows of the document that its requests exercised. */
async function exercise<T>(title: string, ask: () => Promise<T>): Promise<{ result: T; rows: string[] }> {
  const before = sandbox.seen.length;
  const result = await ask();
  const rows = sandbox.seen.slice(before).flatMap(rowsSeen);
  for (const row of rows) coverage.set(row, (coverage.get(row) ?? new Set()).add(title));
  return { result, rows };
}

describe("the client receives", () => {
  test.each(asks)("from …%s: %s", async (endpoint, title, ask, gives) => {
    const { result, rows } = await exercise(title, () => ask(clientOf(sandbox)));
    if (typeof gives === "number") expect(result).toBe(gives);
    else expect(result).toMatchObject(gives as object);
    expect(rows).toContainEqual(expect.stringMatching(new RegExp(`${endpoint} -> 20[012]$`)));
  });

  test.each([
    ["users' numbers", ({ analytics }: ServiceClient) => analytics.users(lastDay)],
    ["changes", ({ enterpriseControls }: ServiceClient) => enterpriseControls.history()],
    ["sessions", ({ sessions }: ServiceClient) => sessions.list()],
    ["messages", ({ sessions }: ServiceClient) => sessions.messages(session)],
    ["users", ({ users }: ServiceClient) => users.list()],
  ])("a page of 20 %s without a limit", async (title, list) => {
    const { result } = await exercise(title, () => count(list(clientOf(sandbox)) as List<unknown>));
    expect([result, sandbox.seen.at(-1)?.url.searchParams.has("limit")]).toEqual([20, false]);
  });

  test("everything of /api/v0 with a JWT too", async () => {
    const client = clientOf(sandbox, { jwt });
    const v0 = asks.filter(([endpoint]) => !/analytics|maturity/.test(endpoint));
    for (const [, title, ask] of v0) await exercise(`${title}, by JWT`, () => ask(client));
    expect(v0.length).toBeGreaterThan(20);
    expect(sandbox.seen.at(-1)).toMatchObject({ authorization: `Bearer ${jwt}`, status: 200 });
  });
});

const analytics: readonly (readonly [string, (client: ServiceClient, days?: typeof lastDay) => Promise<unknown>])[] = [
  ["tokens", ({ analytics: a }, days = lastDay) => a.tokens(days).page()],
  ["tools", ({ analytics: a }, days = lastDay) => a.tools(days).page()],
  ["activity", ({ analytics: a }, days = lastDay) => a.activity(days).page()],
  ["productivity", ({ analytics: a }, days = lastDay) => a.productivity(days).page()],
  ["users", ({ analytics: a }, days = lastDay) => a.users(days).page()],
];
const reports: Ask = ({ readiness }) => readiness.reports().page();
const v0: readonly (readonly [string, Ask])[] = [
  ["history", ({ enterpriseControls: c }) => c.history().page()],
  ["sessions", ({ sessions: s }) => s.list().page()],
  ["a new session", ({ sessions: s }) => s.create({ computerId: "computer_1" })],
  ["messages", ({ sessions: s }) => s.messages(session).page()],
  ["a message", ({ sessions: s }) => s.message(session, "m1")],
  ["a changed computer", ({ computers: c }) => c.update("computer_1", { name: "n" })],
  ["install-deps", ({ computers: c }) => c.installDeps("computer_1")],
  ["users", ({ users: u }) => u.list().page()],
];
const everything: readonly (readonly [string, Ask])[] = [
  ...analytics.map(([name, ask]) => [name, (client: ServiceClient) => ask(client)] as const),
  ["reports", reports],
  ...v0,
];

/** The service's explanation, which errors carry. */
const words = {
  title: expect.any(String),
  detail: expect.any(String),
  requestId: expect.stringMatching(/^req_\d+$/),
};
const keysPage = () => `${sandbox.appUrl}/settings/api-keys`;

describe("the client throws", () => {
  const failure = async (title: string, ask: Ask, options: Parameters<typeof clientOf>[1] = {}) =>
    (await exercise(title, () => failureOf(ask(clientOf(sandbox, options))))).result;

  test.each(everything)(
    "AuthenticationError for 401 of %s, with the page where keys are created",
    async (name, ask) => {
      const error = await failure(`401 of ${name}`, ask, { apiKey: "wrong-key-1234" });
      expect(error).toMatchObject({ ...words, name: "AuthenticationError", reason: "auth", status: 401 });
      expect(error).toMatchObject({ title: "Unauthorized", hint: expect.stringContaining(keysPage()) });
    },
  );

  test.each(analytics)(
    "PermissionError for 403 of %s, with the roles and the page where keys are created",
    async (name, ask) => {
      for (const apiKey of [keys.member, keys.guest]) {
        const error = await failure(`403 of ${name}`, (client) => ask(client), { apiKey });
        expect(error).toMatchObject({ ...words, name: "PermissionError", reason: "auth", status: 403 });
        expect(error).toMatchObject({ title: "Forbidden", hint: expect.stringContaining("Manager or Owner") });
        expect(error).toMatchObject({ hint: expect.stringContaining(keysPage()) });
      }
    },
  );

  test.each(analytics)("BadRequestError for 400 of %s, with the service's reason", async (name, ask) => {
    // With a clock one day ahead, the client takes the service's today for yesterday, and sends the request.
    const now = () => noonMs + 86_400_000;
    const today = { startDate: "2026-06-15", endDate: "2026-06-15" };
    const error = await failure(`400 of ${name}`, (client) => ask(client, today), { now });
    expect(error).toMatchObject({ ...words, name: "BadRequestError", reason: "rejected", status: 400 });
    expect(error).toMatchObject({ detail: expect.stringContaining("24-hour lag"), hint: expect.any(String) });
  });

  test("BadRequestError for 400 of reports", async () => {
    const error = await failure("400 of reports", ({ readiness }) => readiness.reports({ startAfter: "none" }).page());
    expect(error).toMatchObject({ ...words, name: "BadRequestError", status: 400, title: "Bad Request" });
  });

  test.each(everything)("ServerError for 500 of %s", async (name, ask) => {
    const before = sandbox.seen.length;
    const error = await failure(`500 of ${name}`, ask, { apiKey: keys.broken });
    expect(error).toMatchObject({ ...words, name: "ServerError", reason: "unavailable", status: 500 });
    expect(error).toMatchObject({ hint: expect.stringContaining("requestId") });
    // A GET is sent three times, any other request once.
    const isRead = sandbox.seen[before]?.method === "GET";
    expect(sandbox.seen.length - before).toBe(isRead ? 3 : 1);
  });

  test.each([
    ["session", ({ sessions: s }: ServiceClient) => s.messages("none").page()],
    ["message", ({ sessions: s }: ServiceClient) => s.message(session, "none")],
    ["computer to change", ({ computers: c }: ServiceClient) => c.update("none", { name: "n" })],
    ["computer to install on", ({ computers: c }: ServiceClient) => c.installDeps("none")],
    ["computer for a session", ({ sessions: s }: ServiceClient) => s.create({ computerId: "none" })],
  ])("NotFoundError for 404 of a missing %s", async (name, ask) => {
    const error = await failure(`404: ${name}`, ask);
    expect(error).toMatchObject({ ...words, name: "NotFoundError", reason: "rejected", status: 404 });
  });
});

describe("the API document", () => {
  test("has the same endpoints as the client, with the same parameters, fields and status", () => {
    const actual = endpoints.map(({ method, base, path, query, body, status }) => ({
      method,
      host: base === "baseUrl" ? "base" : "app",
      path,
      query: Object.keys(query?.shape ?? {}).map((name) => (name === "groupBy" ? "group_by" : name)),
      body: Object.keys(body?.shape ?? {}),
      status,
    }));
    const documented = documentedEndpoints.map(({ method, host, path, query, body, status }) => ({
      method,
      host,
      path,
      query: [...query],
      body: [...body],
      status,
    }));
    expect(actual).toEqual(documented);
  });

  test("has no row that these tests do not exercise by a request", () => {
    expect(documentRows.length).toBeGreaterThan(100);
    expect(documentRows.filter((row) => !coverage.has(row))).toEqual([]);
  });
});
