import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type * as service from "../../src/service.ts";
import { keys } from "../world/service/access.ts";
import { noonMs } from "../world/service/client.ts";
import { documentedEndpoints } from "../world/service/document.ts";
import { routes } from "../world/service/routes.ts";
import { type Sandbox, startSandbox } from "../world/service/server.ts";
import { longestMessages } from "../world/service/sessions.ts";
import { documentedFields, type Fields } from "./document-fields.ts";
import { ask, endpointAt, type Json, namedEndpoints, sessionId, validBody } from "./plain-requests.ts";

/** The sandbox against the API document, by plain requests: the client has no part in this. */

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ now: () => noonMs });
});
afterAll(() => sandbox.close());

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
  test("has the documented endpoints and no others", () => {
    const actual = routes.map(({ method, path, host, query, status }) => ({ method, path, host, query, status }));
    const documented = documentedEndpoints.map(({ method, path, host, query, status }) => ({
      method,
      path,
      host,
      query,
      status,
    }));
    expect(actual).toEqual(documented);
  });

  test.each(namedEndpoints)("answers %s with the documented status and list", async (_, endpoint) => {
    const { status, body } = await ask(sandbox, endpoint, validBody(endpoint));
    expect(status).toBe(endpoint.status);
    if (endpoint.list !== undefined) expect(body[endpoint.list]).toBeInstanceOf(Array);
  });

  test.each([
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
    const { body } = await ask(sandbox, endpointAt(path), { query });
    const rows = body[list] as object[] | undefined;
    expect(rows?.length).toBeGreaterThan(0);
    for (const row of rows ?? []) expectFields(row, documentedFields[fields]);
  });

  test.each([
    ["PATCH", "/computers/{computerId}", "computer"],
    ["POST", "/install-deps", "computer"],
    ["POST", "/sessions", "session"],
    ["GET", "/{messageId}", "message"],
  ])("%s …%s gives a %s", async (method, path, fields) => {
    const endpoint = endpointAt(path, method);
    expectFields((await ask(sandbox, endpoint, validBody(endpoint))).body, documentedFields[fields]);
  });

  test("sends parts that add up to their totals", async () => {
    const [row] = (await ask(sandbox, endpointAt("tokens"))).body["data"] as unknown as [service.CreditsRow];
    const users = row.by_user.reduce((sum, one) => sum + one.billable_tokens, 0);
    const models = row.by_model.reduce((sum, one) => sum + one.billable_tokens, 0);
    expect([users, models]).toEqual([row.billable_tokens, row.billable_tokens]);
    const [tools] = (await ask(sandbox, endpointAt("tools"))).body["data"] as unknown as [service.ToolUsageRow];
    expect(tools.by_tool.reduce((sum, one) => sum + one.invocations, 0)).toBe(tools.tool_calls);
  });

  test.each([
    ["a target that is no path", "GET // HTTP/1.1\r\nhost: x\r\n\r\n", "404"],
    [
      "a path that cannot be decoded",
      `GET /api/v0/sessions/%zz/messages HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${keys.owner}\r\n\r\n`,
      "400",
    ],
    ["a body that breaks off", "POST /api/v0/sessions HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\n{", ""],
  ])("survives %s", async (_, request, status) => {
    const socket = connect(Number(new URL(sandbox.baseUrl).port), "127.0.0.1");
    socket.write(request);
    if (status !== "") expect(String((await once(socket, "data"))[0])).toContain(`HTTP/1.1 ${status}`);
    else await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    expect((await ask(sandbox, endpointAt("/organization/users"))).status).toBe(200);
  });

  test("has enough data for several pages", () => {
    const { people, users, sessions, reports, changes } = sandbox.state;
    expect([people.length, users.length, reports.length, changes.length]).toEqual([1000, 1000, 120, 60]);
    expect(sessions.length).toBeGreaterThanOrEqual(250);
    expect(sessions.find((one) => one.sessionId === sessionId)?.messageCount).toBe(longestMessages);
  });
});
