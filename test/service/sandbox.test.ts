import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { jwt, keys } from "../../src/fake-service/access.ts";
import { longestMessages } from "../../src/fake-service/sessions.ts";
import type * as service from "../../src/service.ts";
import { useSandbox } from "../world/service/client.ts";
import { ask, endpointAt, namedEndpoints, sessionId, validBody } from "./plain-requests.ts";

/** The sandbox against the API document, by plain requests without the client. */

const sandbox = useSandbox();

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

test.each(namedEndpoints)("the sandbox answers 401 to %s without a key or with a wrong one", async (_, endpoint) => {
  const given = validBody(endpoint);
  for (const bearer of [undefined, "wrong"]) {
    const { status, body } = await ask(sandbox, endpoint, { ...given, bearer });
    expect([status, body["title"]]).toEqual([401, "Unauthorized"]);
  }
});

test.each([
  ["/analytics/tokens", { group_by: "user" }],
  ["/analytics/tokens", { groupBy: "model" }],
  ["/analytics/users", { startDate: "2026-02-30" }],
  ["/analytics/activity", { endDate: "2026-06-15" }],
  ["/organization/users", { limit: "0" }],
  ["/organization/users", { limit: "101" }],
  ["/organization/users", { limit: "x" }],
  ["/organization/users", { limit: "" }],
  ["/organization/users", { computerId: "computer_1" }],
  ["/messages", { role: "system" }],
])("the sandbox answers 400 to %s with %j", async (path, query) => {
  expect((await ask(sandbox, endpointAt(path), { query })).status).toBe(400);
});

test.each([{ name: "" }, { hostId: "host" }, { status: "active" }, ["name"]])(
  "the sandbox answers 400 to a computer changed to %j",
  async (body) => expect((await ask(sandbox, endpointAt("{computerId}", "PATCH"), { body })).status).toBe(400),
);

test("the sandbox accepts a JWT only for /api/v0", async () => {
  for (const [, endpoint] of namedEndpoints) {
    const { status } = await ask(sandbox, endpoint, { ...validBody(endpoint), bearer: jwt });
    const expected = endpoint.path.startsWith("/api/v0") ? endpoint.status : 401;
    expect([endpoint.path, status]).toEqual([endpoint.path, expected]);
  }
});

test("the sandbox filters messages by the documented roles", async () => {
  const roles = await Promise.all(
    ["user", "assistant", "tool"].map(async (role) => {
      const { body } = await ask(sandbox, endpointAt("messages"), { query: { role, limit: "100" } });
      return new Set((body["messages"] as unknown as service.Message[]).map((message) => message.role));
    }),
  );
  expect(roles).toEqual([new Set(["user"]), new Set(["assistant"]), new Set(["tool"])]);
});

test("the sandbox accepts a JSON body whose content type names a charset", async () => {
  const headers = { authorization: `Bearer ${keys.owner}`, "content-type": "application/json; charset=utf-8" };
  const body = JSON.stringify({ computerId: "computer_1" });
  expect((await fetch(`${sandbox.baseUrl}/api/v0/sessions`, { method: "POST", headers, body })).status).toBe(201);
});
