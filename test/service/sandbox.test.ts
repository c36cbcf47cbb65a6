import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { jwt, keys } from "../../src/fake-service/access.ts";
import { routes } from "../../src/fake-service/routes.ts";
import { longestMessages } from "../../src/fake-service/sessions.ts";
import type * as service from "../../src/service.ts";
import { useSandbox } from "../world/service/client.ts";
import { documentedEndpoints } from "../world/service/document.ts";
import { ask, endpointAt, namedEndpoints, sessionId, validBody } from "./plain-requests.ts";

/** The sandbox against the API document, by plain requests without the client. */

const sandbox = useSandbox();

test("the sandbox has the documented endpoints and no others", () => {
  type Parts = Pick<(typeof routes)[number], "method" | "path" | "host" | "query" | "status">;
  const pickParts = ({ method, path, host, query, status }: Parts) => ({ method, path, host, query, status });
  const actual = routes.map(pickParts);

  expect(actual).toEqual(documentedEndpoints.map(pickParts));
});

test("the sandbox sends parts that add up to their totals", async () => {
  const [row] = (await ask(sandbox, endpointAt("tokens"))).body["data"] as unknown as [service.CreditsRow];
  const users = row.by_user.reduce((sum, item) => sum + item.billable_tokens, 0);
  const models = row.by_model.reduce((sum, item) => sum + item.billable_tokens, 0);
  expect([users, models]).toEqual([row.billable_tokens, row.billable_tokens]);
  const [tools] = (await ask(sandbox, endpointAt("tools"))).body["data"] as unknown as [service.ToolUsageRow];
  expect(tools.by_tool.reduce((sum, item) => sum + item.invocations, 0)).toBe(tools.tool_calls);
});

const [head, authorization] = ["HTTP/1.1\r\nhost: x\r\n", `authorization: Bearer ${keys.owner}`];
test.each([
  ["a target other than a path", `GET // ${head}\r\n`, "404"],
  ["a path that cannot be decoded", `GET /api/v0/sessions/%zz/messages ${head}${authorization}\r\n\r\n`, "400"],
  ["a body that breaks off", `POST /api/v0/sessions ${head}content-length: 99\r\n\r\n{`, ""],
])("the sandbox survives %s", async (_, request, status) => {
  const socket = connect(Number(new URL(sandbox.baseUrl).port), "127.0.0.1");
  socket.write(request);
  if (status !== "") expect(String((await once(socket, "data"))[0])).toContain(`HTTP/1.1 ${status}`);
  else await new Promise((resolve) => setTimeout(resolve, 50));
  socket.destroy();
  expect((await ask(sandbox, endpointAt("/organization/users"))).status).toBe(200);
});

test("the sandbox has enough data for several pages", () => {
  const { people, users, sessions, reports, changes } = sandbox.state;
  expect([people.length, users.length, reports.length, changes.length]).toEqual([1000, 1000, 120, 60]);
  expect(sessions.length).toBeGreaterThanOrEqual(250);
  expect(sessions.find((item) => item.sessionId === sessionId)?.messageCount).toBe(longestMessages);
});

const analytics = namedEndpoints.filter(([, { path }]) => path.includes("/analytics/"));
const limited = namedEndpoints.filter(([, { query, host }]) => query.includes("limit") && host === "base");

test.each(namedEndpoints)("the sandbox answers 401 to %s without a key or with a wrong one", async (_, endpoint) => {
  const given = validBody(endpoint);
  for (const bearer of [undefined, "wrong"]) {
    const { status, body } = await ask(sandbox, endpoint, { ...given, bearer });
    expect([status, body["title"]]).toEqual([401, "Unauthorized"]);
  }
});

test.each(analytics)(
  "%s is answered with 400 for dates that are invalid, today, or out of range",
  async (_, endpoint) => {
    const statuses = [
      { startDate: "14.06.2026" },
      { startDate: "2026-02-30" },
      { startDate: "" },
      { endDate: "2026-06-15" },
      { endDate: "2026-06-16" },
      { startDate: "2026-01-13" },
      { startDate: "2026-06-14", endDate: "2026-06-13" },
    ].map(async (query) => (await ask(sandbox, endpoint, { query })).status);
    expect(await Promise.all(statuses)).toEqual(statuses.map(() => 400));
    const query = { startDate: "2026-01-14", endDate: "2026-01-14" };
    expect((await ask(sandbox, endpoint, { query })).status).toBe(200);
  },
);

test.each(["tokens", "tools", "activity"])("the sandbox answers 400 to %s with an unknown group_by", async (path) => {
  expect((await ask(sandbox, endpointAt(path), { query: { group_by: "user" } })).status).toBe(400);
});

test("the sandbox accepts a JWT only for /api/v0", async () => {
  for (const [, endpoint] of namedEndpoints) {
    const { status } = await ask(sandbox, endpoint, { ...validBody(endpoint), bearer: jwt });
    const expected = endpoint.path.startsWith("/api/v0") ? endpoint.status : 401;
    expect([endpoint.path, status]).toEqual([endpoint.path, expected]);
  }
});

test.each(limited)("the sandbox limits %s to 1 to 100 items a page, 20 by default", async (_, endpoint) => {
  const given = async (limit?: string) => {
    const { status, body } = await ask(sandbox, endpoint, limit === undefined ? {} : { query: { limit } });
    return status === 200 ? (body[endpoint.list ?? ""] as unknown as unknown[]).length : status;
  };
  const all = ["0", "101", "-1", "x", "1", undefined].map(given);
  expect(await Promise.all(all)).toEqual([400, 400, 400, 400, 1, 20]);
  expect(await given("100")).toBe(Math.min(100, endpoint.path.endsWith("history") ? 60 : 100));
});

test("the sandbox accepts any positive limit for reports", async () => {
  const statuses = ["0", "-1", "1", "101", "5000"].map(
    async (limit) => (await ask(sandbox, endpointAt("maturity-level-reports"), { query: { limit } })).status,
  );
  expect(await Promise.all(statuses)).toEqual([400, 400, 200, 200, 200]);
});

test.each([
  ["PATCH", "/computers/{computerId}", "name", 63],
  ["PATCH", "/computers/{computerId}", "remoteUser", 63],
  ["POST", "/sessions", "cwd", 4096],
])("%s …%s accepts a %s of 1 to %s characters", async (method, path, field, max) => {
  const given = async (length: number) => {
    const body = { ...(method === "POST" && { computerId: "computer_1" }), [field]: "x".repeat(length) };
    return (await ask(sandbox, endpointAt(path, method), { body })).status < 300;
  };
  expect(await Promise.all([given(0), given(1), given(max), given(max + 1)])).toEqual([false, true, true, false]);
});

test("the sandbox accepts only a UUID as hostId", async () => {
  const given = async (hostId: string) =>
    (await ask(sandbox, endpointAt("{computerId}", "PATCH"), { body: { hostId } })).status;
  expect([await given("host"), await given("0b6f4a5c-9a3e-4b7f-8a41-3f5f0f7b9f10")]).toEqual([400, 200]);
});

test("the sandbox filters messages by the documented roles", async () => {
  const roles = await Promise.all(
    ["user", "assistant", "tool"].map(async (role) => {
      const { body } = await ask(sandbox, endpointAt("messages"), { query: { role, limit: "100" } });
      return new Set((body["messages"] as unknown as service.Message[]).map((message) => message.role));
    }),
  );
  expect(roles).toEqual([new Set(["user"]), new Set(["assistant"]), new Set(["tool"])]);
  expect((await ask(sandbox, endpointAt("messages"), { query: { role: "system" } })).status).toBe(400);
});

test("the sandbox accepts a JSON body whose content type names a charset", async () => {
  const headers = { authorization: `Bearer ${keys.owner}`, "content-type": "application/json; charset=utf-8" };
  const body = JSON.stringify({ computerId: "computer_1" });
  expect((await fetch(`${sandbox.baseUrl}/api/v0/sessions`, { method: "POST", headers, body })).status).toBe(201);
});
