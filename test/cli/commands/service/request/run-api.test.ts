import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { keys } from "../../../../world/service/access.ts";
import { openServiceHome, type ServiceHome } from "../../../../world/service-home.ts";

let world: ServiceHome;
beforeAll(async () => {
  world = await openServiceHome({ users: 3, sessions: 3, reports: 3, changes: 3 });
});
afterAll(() => world.close());
beforeEach(() => {
  world.sandbox.seen.length = 0;
});

test("prints the reply to a request of one's own", async () => {
  const { exitCode, stdout, stderr } = await world.run("api get /api/v0/organization/users --query limit=2");
  expect([exitCode, stderr, JSON.parse(stdout).users.length]).toEqual([0, "", 2]);
  expect(world.sandbox.seen[0]?.url.search).toBe("?limit=2");
});

test("sends a body, and reaches the web application", async () => {
  const changed = await world.run(["api", "PATCH", "/api/v0/computers/computer_1", "--body", '{"name":"x"}']);
  expect(JSON.parse(changed.stdout)).toMatchObject({ id: "computer_1", name: "x" });
  const reports = await world.run("api GET /api/organization/maturity-level-reports --app");
  expect(JSON.parse(reports.stdout).reports).toHaveLength(3);
});

test.each([
  ["api GET /api/v0/none", 1, /answered 404/],
  ["api GET /a/../b", 2, /<path> must begin with \//],
  ["api FETCH /a", 2, /<method> must be GET.*\n {2}See `beckon service api --help`/],
  ["api GET /a --query limit", 2, /--query must be name=value/],
])("%s exits with %s and says why", async (line, exitCode, says) => {
  const result = await world.run(line);
  expect([result.exitCode, result.stdout]).toEqual([exitCode, ""]);
  expect(result.stderr).toMatch(says);
});

test.each([
  ["users list --verbose", {}],
  ["users list", { BECKON_LOG: "1" }],
])("%s with %j shows what goes over the network, without the key", async (line, env) => {
  const { stderr } = await world.run(line, {}, env);
  const address = `${world.sandbox.baseUrl}/api/v0/organization/users`;
  expect(stderr).toMatch(new RegExp(`^> GET ${address}\n< 200 in \\d+ ms\n`));
  expect(stderr).not.toContain(keys.owner);
});
