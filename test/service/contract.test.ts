import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endpoints, type List, type ServiceClient } from "../../src/service.ts";
import { jwt, keys } from "../helpers/service/access.ts";
import { type Ask, asks, count } from "../helpers/service/asks.ts";
import { documentRows, rowsSeen } from "../helpers/service/coverage.ts";
import { documentedEndpoints } from "../helpers/service/document.ts";
import { type Sandbox, startSandbox } from "../helpers/service/server.ts";
import { longestSession, makeSession } from "../helpers/service/sessions.ts";
import { clientOf, failureOf, lastDay, noonMs } from "../helpers/service/world.ts";

/** The client against the document: a request of the client's to the sandbox for every row of it. */

const session = makeSession(longestSession).sessionId;

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => noonMs });
});
afterAll(() => sandbox.close());

/** Titles of the tests whose requests exercised a row of the document. */
const coverage = new Map<string, Set<string>>();

/** What came of an operation, and the rows its requests exercised. */
async function exercise<T>(title: string, ask: () => Promise<T>): Promise<{ result: T; rows: string[] }> {
  const before = sandbox.seen.length;
  const result = await ask();
  const rows = sandbox.seen.slice(before).flatMap(rowsSeen);
  for (const row of rows) coverage.set(row, (coverage.get(row) ?? new Set()).add(title));
  return { result, rows };
}

describe("over the wire, the client gets", () => {
  it.each(asks)("from …%s: %s", async (endpoint, title, ask, gives) => {
    const { result, rows } = await exercise(title, () => ask(clientOf(sandbox)));
    if (typeof gives === "number") expect(result).toBe(gives);
    else expect(result).toMatchObject(gives as object);
    expect(rows).toContainEqual(expect.stringMatching(new RegExp(`${endpoint} -> 20[012]$`)));
  });

  it.each([
    ["users' numbers", ({ analytics }: ServiceClient) => analytics.users(lastDay)],
    ["changes", ({ enterpriseControls }: ServiceClient) => enterpriseControls.history()],
    ["sessions", ({ sessions }: ServiceClient) => sessions.list()],
    ["messages", ({ sessions }: ServiceClient) => sessions.messages(session)],
    ["users", ({ users }: ServiceClient) => users.list()],
  ])("a page of 20 %s where it names no limit", async (title, list) => {
    const { result } = await exercise(title, () => count(list(clientOf(sandbox)) as List<unknown>));
    expect([result, sandbox.seen.at(-1)?.url.searchParams.has("limit")]).toEqual([20, false]);
  });

  it("all of /api/v0 with a JWT too", async () => {
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

/** The service's own words, which errors carry. */
const words = {
  title: expect.any(String),
  detail: expect.any(String),
  requestId: expect.stringMatching(/^req_\d+$/),
};
const keysPage = () => `${sandbox.appUrl}/settings/api-keys`;

describe("of section 7, the client throws", () => {
  const failure = async (title: string, ask: Ask, options: Parameters<typeof clientOf>[1] = {}) =>
    (await exercise(title, () => failureOf(ask(clientOf(sandbox, options))))).result;

  it.each(everything)("AuthenticationError for 401 of %s, and says where keys are made", async (name, ask) => {
    const error = await failure(`401 of ${name}`, ask, { apiKey: "wrong-key-1234" });
    expect(error).toMatchObject({ ...words, name: "AuthenticationError", reason: "auth", status: 401 });
    expect(error).toMatchObject({ title: "Unauthorized", hint: expect.stringContaining(keysPage()) });
  });

  it.each(analytics)(
    "PermissionError for 403 of %s, and names the roles and where keys are made",
    async (name, ask) => {
      for (const apiKey of [keys.member, keys.guest]) {
        const error = await failure(`403 of ${name}`, (client) => ask(client), { apiKey });
        expect(error).toMatchObject({ ...words, name: "PermissionError", reason: "auth", status: 403 });
        expect(error).toMatchObject({ title: "Forbidden", hint: expect.stringContaining("Manager or Owner") });
        expect(error).toMatchObject({ hint: expect.stringContaining(keysPage()) });
      }
    },
  );

  it.each(analytics)("BadRequestError for 400 of %s, with the service's reason", async (name, ask) => {
    // By a clock that is a day ahead, the service's today is yesterday, and gets past the client.
    const now = () => noonMs + 86_400_000;
    const today = { startDate: "2026-06-15", endDate: "2026-06-15" };
    const error = await failure(`400 of ${name}`, (client) => ask(client, today), { now });
    expect(error).toMatchObject({ ...words, name: "BadRequestError", reason: "rejected", status: 400 });
    expect(error).toMatchObject({ detail: expect.stringContaining("24-hour lag"), hint: expect.any(String) });
  });

  it("BadRequestError for 400 of reports", async () => {
    const error = await failure("400 of reports", ({ readiness }) => readiness.reports({ startAfter: "none" }).page());
    expect(error).toMatchObject({ ...words, name: "BadRequestError", status: 400, title: "Bad Request" });
  });

  it.each(everything)("ServerError for 500 of %s", async (name, ask) => {
    const before = sandbox.seen.length;
    const error = await failure(`500 of ${name}`, ask, { apiKey: keys.broken });
    expect(error).toMatchObject({ ...words, name: "ServerError", reason: "unavailable", status: 500 });
    expect(error).toMatchObject({ hint: expect.stringContaining("requestId") });
    // A GET is asked for three times; what changes something, once.
    const isRead = sandbox.seen[before]?.method === "GET";
    expect(sandbox.seen.length - before).toBe(isRead ? 3 : 1);
  });

  it.each([
    ["session", ({ sessions: s }: ServiceClient) => s.messages("none").page()],
    ["message", ({ sessions: s }: ServiceClient) => s.message(session, "none")],
    ["computer to change", ({ computers: c }: ServiceClient) => c.update("none", { name: "n" })],
    ["computer to install on", ({ computers: c }: ServiceClient) => c.installDeps("none")],
    ["computer for a session", ({ sessions: s }: ServiceClient) => s.create({ computerId: "none" })],
  ])("NotFoundError for 404, where there is no such %s", async (name, ask) => {
    const error = await failure(`404: ${name}`, ask);
    expect(error).toMatchObject({ ...words, name: "NotFoundError", reason: "rejected", status: 404 });
  });
});

const limit = "must be a whole number from 1 to 100";
const positive = /must be (a whole number, )?1 or more/;
const short = "must be a text of 1 to 63 characters";
type Refused = readonly [what: string, parameter: string, given: unknown, says: string | RegExp];
const day = (name: string, given: unknown, says: string | RegExp): readonly Refused[] =>
  ["tokens", "tools", "activity", "productivity", "users"].map(
    (kind) => [`analytics.${kind}`, name, { ...lastDay, [name]: given }, says] as const,
  );
const limits = (what: string, given: object = {}): readonly Refused[] =>
  [0, 101, -1, 1.5, Number.NaN, "5"].map((value) => [what, "limit", { ...given, limit: value }, limit] as const);
const refused: readonly Refused[] = [
  ...day("startDate", "2026-01-13", "is before 2026-01-14, the first day with data"),
  ...day("endDate", "2026-06-15", "is today (UTC): data has a 24-hour lag"),
  ...day("startDate", "2026-06-15", "is today (UTC): data has a 24-hour lag"),
  ...day("endDate", "2026-06-16", "is yet to come: data has a 24-hour lag"),
  ...day("startDate", "14.06.2026", "must be a calendar day as YYYY-MM-DD"),
  ...day("endDate", "2026-02-30", "must be a calendar day as YYYY-MM-DD"),
  ...day("startDate", undefined, "is missing"),
  ["analytics.tokens", "groupBy", { ...lastDay, groupBy: "user" }, 'must be "model"'],
  ["analytics.tools", "groupBy", { ...lastDay, groupBy: "model" }, 'must be "tool_name"'],
  ["analytics.activity", "groupBy", { ...lastDay, groupBy: "day" }, 'must be "client"'],
  ["analytics.users", "groupBy", { ...lastDay, groupBy: "model" }, "is not taken here"],
  ...limits("analytics.users", lastDay),
  ...["enterpriseControls.history", "sessions.list", "sessions.messages", "users.list"].flatMap((what) => limits(what)),
  ...[0, -1, 1.5, "5"].map((value): Refused => ["readiness.reports", "limit", { limit: value }, positive]),
  ["sessions.messages", "role", { role: "system" }, "must be one of user, assistant, tool"],
  ["users.list", "cursor", { cursor: "" }, "must be the cursor of a page"],
  ["sessions.create", "computerId", {}, "is missing"],
  ["sessions.create", "cwd", { computerId: "c", cwd: "" }, "must be a text of 1 to 4096 characters"],
  ["sessions.create", "cwd", { computerId: "c", cwd: "x".repeat(4097) }, "must be a text of 1 to 4096 characters"],
  [
    "sessions.create",
    "sessionSettings.tokenUsage",
    { computerId: "c", sessionSettings: { tokenUsage: {} } },
    "is not taken here",
  ],
  ...["name", "remoteUser"].flatMap((field): Refused[] => [
    ["computers.update", field, { [field]: "" }, short],
    ["computers.update", field, { [field]: "x".repeat(64) }, short],
  ]),
  ["computers.update", "hostId", { hostId: "host-1" }, "must be a UUID"],
  ["computers.update", "status", { status: "active" }, "is not taken here"],
];

/** What is wrong, with the beginning of the value alone. */
function titleOf([what, parameter, given]: Refused): string {
  const value = parameter
    .split(".")
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], given);
  const shown = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? "nothing");
  return `${what} with ${shown.length > 20 ? `${shown.slice(0, 10)}… (${shown.length - 2})` : shown} as ${parameter}`;
}

describe("of section 8, before anything is sent, the client refuses", () => {
  it.each(refused.map((one) => [titleOf(one), ...one] as const))("%s", async (_, what, parameter, given, says) => {
    const [resource = "", verb = ""] = what.split(".");
    const before = sandbox.seen.length;
    const client = clientOf(sandbox) as unknown as Record<
      string,
      Record<string, (...given: unknown[]) => List<unknown>>
    >;
    const ids = /messages$/.test(what) ? [session] : what === "computers.update" ? ["computer_1"] : [];
    const ask = async () => {
      const result: unknown = client[resource]?.[verb]?.(...ids, given);
      return await (result instanceof Promise ? result : (result as List<unknown>).page());
    };
    const error = await failureOf(ask());
    expect(error).toMatchObject({ name: "ArgumentError", reason: "rejected", parameter });
    expect((error as Error).message).toEqual(
      says instanceof RegExp ? expect.stringMatching(says) : expect.stringContaining(says),
    );
    expect(sandbox.seen.length).toBe(before);
  });
});

describe("of the document,", () => {
  it("the client has every endpoint and no other, with its parameters, fields and status", () => {
    const own = endpoints.map(({ method, base, path, query, body, status }) => ({
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
    expect(own).toEqual(documented);
  });

  it("each row is exercised by a request of these tests", () => {
    expect(documentRows.length).toBeGreaterThan(100);
    expect(documentRows.filter((row) => !coverage.has(row))).toEqual([]);
  });
});
