import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type * as service from "../../src/service.ts";
import { jwt, keys } from "../helpers/service/access.ts";
import { type DocumentedEndpoint, documentedEndpoints } from "../helpers/service/document.ts";
import { documentedFields, type Fields } from "../helpers/service/document-fields.ts";
import { routes } from "../helpers/service/routes.ts";
import { type Sandbox, startSandbox } from "../helpers/service/server.ts";
import { longestMessages, longestSession } from "../helpers/service/sessions.ts";
import { noonMs, yesterday } from "../helpers/service/world.ts";

/** The sandbox against the document, by plain requests: the client has no part in this. */

let sandbox: Sandbox;
let sessionId: string;
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => noonMs });
  sessionId = sandbox.state.sessions[longestSession]?.sessionId ?? "";
});
afterAll(() => sandbox.close());

interface Ask {
  readonly query?: Readonly<Record<string, string>>;
  readonly bearer?: string | undefined;
  readonly body?: unknown;
}

type Json = Record<string, never>;

async function ask(endpoint: Pick<DocumentedEndpoint, "method" | "host" | "path">, given: Ask = {}) {
  const parts: Record<string, string> = {
    sessionId,
    messageId: `msg_${sessionId.slice(0, 8)}_4`,
    computerId: "computer_2",
  };
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => parts[name] ?? "");
  const url = new URL(path, endpoint.host === "base" ? sandbox.baseUrl : sandbox.appUrl);
  const days = path.includes("/analytics/") ? { startDate: yesterday, endDate: yesterday } : {};
  for (const [name, value] of Object.entries({ ...days, ...given.query })) url.searchParams.set(name, value);
  const bearer = "bearer" in given ? given.bearer : keys.owner;
  const response = await fetch(url, {
    method: endpoint.method,
    headers: {
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(given.body !== undefined && { "content-type": "application/json" }),
    },
    ...(given.body !== undefined && { body: JSON.stringify(given.body) }),
  });
  return { status: response.status, body: (await response.json()) as Json };
}

const at = (path: string, method = "GET") => {
  const found = documentedEndpoints.find((one) => one.method === method && one.path.endsWith(path));
  if (found === undefined) throw new Error(path);
  return found;
};
const good: Readonly<Record<string, unknown>> = { POST: { computerId: "computer_1" }, PATCH: { name: "n" } };
const bodyFor = ({ method, path }: DocumentedEndpoint): Ask =>
  path.endsWith("install-deps") || method === "GET" ? {} : { body: good[method] };
const name = ({ method, path }: DocumentedEndpoint) => `${method} ${path}`;
const named = documentedEndpoints.map((endpoint) => [name(endpoint), endpoint] as const);
const analytics = named.filter(([, { path }]) => path.includes("/analytics/"));
const limited = named.filter(([, { query, host }]) => query.includes("limit") && host === "base");

function expectFields(value: object | undefined, fields: Fields | undefined): void {
  const isA = { string: "string", number: "number", integer: "number", boolean: "boolean", object: "object" } as const;
  for (const [field, type] of Object.entries(fields ?? {})) {
    const given = (value as Json)[field];
    const base = type.replace(/\?$/, "").replace(/ or null$/, "") as keyof typeof isA | "array";
    if (given === undefined) expect([field, type]).toEqual([field, expect.stringMatching(/\?$/)]);
    else if (given === null) expect(type).toContain("null");
    else if (base === "array") expect(given).toBeInstanceOf(Array);
    else expect([field, typeof given]).toEqual([field, isA[base]]);
  }
}

describe("the sandbox", () => {
  it("has the document's endpoints and no others", () => {
    const own = routes.map(({ method, path, host, query, status }) => ({ method, path, host, query, status }));
    const documented = documentedEndpoints.map(({ method, path, host, query, status }) => ({
      method,
      path,
      host,
      query,
      status,
    }));
    expect(own).toEqual(documented);
  });

  it.each(named)("answers %s with its status and its list", async (_, endpoint) => {
    const { status, body } = await ask(endpoint, bodyFor(endpoint));
    expect(status).toBe(endpoint.status);
    if (endpoint.list !== undefined) expect(body[endpoint.list]).toBeInstanceOf(Array);
  });

  it.each([
    ["tokens", "data", "creditsRow", {}],
    ["tokens", "data", "creditsByModelRow", { group_by: "model" }],
    ["tools", "data", "toolUsageRow", {}],
    ["tools", "data", "toolUsageByToolRow", { group_by: "tool_name" }],
    ["activity", "data", "activityRow", {}],
    ["activity", "data", "activityByClientRow", { group_by: "client" }],
    ["productivity", "data", "productivityRow", {}],
    ["analytics/users", "data", "userRow", {}],
    ["maturity-level-reports", "reports", "readinessReport", {}],
    ["history", "changes", "controlChange", {}],
    ["sessions", "sessions", "session", {}],
    ["messages", "messages", "message", {}],
    ["organization/users", "users", "organizationUser", {}],
  ])("gives rows of %s, with %j as %s", async (path, list, fields, query) => {
    const { body } = await ask(at(path), { query });
    const rows = body[list] as object[] | undefined;
    expect(rows?.length).toBeGreaterThan(0);
    for (const row of rows ?? []) expectFields(row, documentedFields[fields]);
  });

  it.each([
    ["PATCH", "/computers/{computerId}", "computer"],
    ["POST", "/install-deps", "computer"],
    ["POST", "/sessions", "session"],
    ["GET", "/{messageId}", "message"],
  ])("%s …%s gives a %s", async (method, path, fields) => {
    const endpoint = at(path, method);
    expectFields((await ask(endpoint, bodyFor(endpoint))).body, documentedFields[fields]);
  });

  it("has parts that add up", async () => {
    const [row] = (await ask(at("tokens"))).body["data"] as unknown as [service.CreditsRow];
    const users = row.by_user.reduce((sum, one) => sum + one.billable_tokens, 0);
    const models = row.by_model.reduce((sum, one) => sum + one.billable_tokens, 0);
    expect([users, models]).toEqual([row.billable_tokens, row.billable_tokens]);
    const [tools] = (await ask(at("tools"))).body["data"] as unknown as [service.ToolUsageRow];
    expect(tools.by_tool.reduce((sum, one) => sum + one.invocations, 0)).toBe(tools.tool_calls);
  });
});

describe("of section 7, the sandbox", () => {
  it.each(named)("refuses %s without a key or with a wrong one: 401", async (_, endpoint) => {
    const given = bodyFor(endpoint);
    for (const bearer of [undefined, "wrong"]) {
      const { status, body } = await ask(endpoint, { ...given, bearer });
      expect([status, body["title"]]).toEqual([401, "Unauthorized"]);
    }
  });

  it.each(analytics)("lets only Owners and Managers have %s: 403", async (_, endpoint) => {
    const statuses = [keys.owner, keys.manager, keys.member, keys.guest].map(
      async (bearer) => (await ask(endpoint, { bearer })).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 200, 403, 403]);
  });

  it.each(analytics)("refuses dates of %s that are wrong, today or out of range: 400", async (_, endpoint) => {
    const statuses = [
      { startDate: "14.06.2026" },
      { startDate: "2026-02-30" },
      { startDate: "" },
      { endDate: "2026-06-15" },
      { endDate: "2026-06-16" },
      { startDate: "2026-01-13" },
      { startDate: "2026-06-14", endDate: "2026-06-13" },
    ].map(async (query) => (await ask(endpoint, { query })).status);
    expect(await Promise.all(statuses)).toEqual(statuses.map(() => 400));
    expect((await ask(endpoint, { query: { startDate: "2026-01-14", endDate: "2026-01-14" } })).status).toBe(200);
  });

  it.each(named)("breaks inside for %s: 500", async (_, endpoint) => {
    const { status, body } = await ask(endpoint, { ...bodyFor(endpoint), bearer: keys.broken });
    expect(status).toBe(500);
    expect(body).toEqual({
      title: "Internal Server Error",
      detail: expect.any(String),
      status: 500,
      requestId: expect.stringMatching(/^req_\d+$/),
    });
  });

  it.each(["tokens", "tools", "activity"])("refuses another group_by of %s: 400", async (path) => {
    expect((await ask(at(path), { query: { group_by: "user" } })).status).toBe(400);
  });

  it("takes a JWT for /api/v0 alone", async () => {
    for (const [, endpoint] of named) {
      const { status } = await ask(endpoint, { ...bodyFor(endpoint), bearer: jwt });
      expect([endpoint.path, status]).toEqual([
        endpoint.path,
        endpoint.path.startsWith("/api/v0") ? endpoint.status : 401,
      ]);
    }
  });
});

describe("of section 8, the sandbox", () => {
  it.each(limited)("keeps the limit of %s between 1 and 100, 20 by default", async (_, endpoint) => {
    const given = async (limit?: string) => {
      const { status, body } = await ask(endpoint, limit === undefined ? {} : { query: { limit } });
      return status === 200 ? (body[endpoint.list ?? ""] as unknown as unknown[]).length : status;
    };
    expect(await Promise.all([given("0"), given("101"), given("-1"), given("x"), given("1"), given()])).toEqual([
      400, 400, 400, 400, 1, 20,
    ]);
    expect(await given("100")).toBe(Math.min(100, endpoint.path.endsWith("history") ? 60 : 100));
  });

  it("takes any positive limit of reports", async () => {
    const statuses = ["0", "-1", "1", "101", "5000"].map(
      async (limit) => (await ask(at("maturity-level-reports"), { query: { limit } })).status,
    );
    expect(await Promise.all(statuses)).toEqual([400, 400, 200, 200, 200]);
  });

  it.each([
    ["PATCH", "/computers/{computerId}", "name", 63],
    ["PATCH", "/computers/{computerId}", "remoteUser", 63],
    ["POST", "/sessions", "cwd", 4096],
  ])("%s …%s takes a %s of 1 to %s characters", async (method, path, field, max) => {
    const given = async (length: number) => {
      const body = { ...(method === "POST" && { computerId: "computer_1" }), [field]: "x".repeat(length) };
      return (await ask(at(path, method), { body })).status < 300;
    };
    expect(await Promise.all([given(0), given(1), given(max), given(max + 1)])).toEqual([false, true, true, false]);
  });

  it("takes only a UUID as hostId", async () => {
    const given = async (hostId: string) => (await ask(at("{computerId}", "PATCH"), { body: { hostId } })).status;
    expect([await given("host"), await given("0b6f4a5c-9a3e-4b7f-8a41-3f5f0f7b9f10")]).toEqual([400, 200]);
  });

  it("filters messages by the roles of the document", async () => {
    const roles = await Promise.all(
      ["user", "assistant", "tool"].map(async (role) => {
        const { body } = await ask(at("messages"), { query: { role, limit: "100" } });
        return new Set((body["messages"] as unknown as service.Message[]).map((message) => message.role));
      }),
    );
    expect(roles).toEqual([new Set(["user"]), new Set(["assistant"]), new Set(["tool"])]);
    expect((await ask(at("messages"), { query: { role: "system" } })).status).toBe(400);
  });

  it("takes a JSON body whose type names a charset", async () => {
    const headers = { authorization: `Bearer ${keys.owner}`, "content-type": "application/json; charset=utf-8" };
    const body = JSON.stringify({ computerId: "computer_1" });
    expect((await fetch(`${sandbox.baseUrl}/api/v0/sessions`, { method: "POST", headers, body })).status).toBe(201);
  });

  it.each([
    ["a target that is no path", "GET // HTTP/1.1\r\nhost: x\r\n\r\n", "404"],
    [
      "a path that cannot be decoded",
      `GET /api/v0/sessions/%zz/messages HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${keys.owner}\r\n\r\n`,
      "400",
    ],
    ["a body that breaks off", "POST /api/v0/sessions HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\n{", ""],
  ])("outlives %s", async (_, request, status) => {
    const socket = connect(Number(new URL(sandbox.baseUrl).port), "127.0.0.1");
    socket.write(request);
    if (status !== "") expect(String((await once(socket, "data"))[0])).toContain(`HTTP/1.1 ${status}`);
    else await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    expect((await ask(at("/organization/users"))).status).toBe(200);
  });

  it("has enough for paging", () => {
    const { people, users, sessions, reports, changes } = sandbox.state;
    expect([people.length, users.length, reports.length, changes.length]).toEqual([1000, 1000, 120, 60]);
    expect(sessions.length).toBeGreaterThanOrEqual(250);
    expect(sessions.find((one) => one.sessionId === sessionId)?.messageCount).toBe(longestMessages);
  });
});
