import { afterAll, beforeAll, expect, test } from "vitest";
import { openServiceHome, type ServiceHome } from "../../../../world/service-home.ts";

let world: ServiceHome;
beforeAll(async () => {
  world = await openServiceHome({ users: 1000 });
});
afterAll(() => world.close());

const linesOf = (text: string): string[] => text.trimEnd().split(/\r?\n/);

test("no cell of CSV is longer than a spreadsheet takes, and standard error says how to get the rest", async () => {
  const { exitCode, stdout, stderr } = await world.run("analytics tokens --since 2d --csv");
  expect(exitCode).toBe(0);
  for (const line of linesOf(stdout)) expect(line.length).toBeLessThan(40_000);
  expect(stderr).toBe(
    "by_user is empty where it is too long for a cell; --each by_user prints a line for each of its items.\n",
  );
});

test("--each prints a line for each item, and their numbers add up", async () => {
  const { stdout, stderr } = await world.run(
    "analytics tokens --since 1d --each by_user --columns date,billable_tokens,by_user.billable_tokens",
  );
  const [head, ...rows] = linesOf(stdout).map((line) => line.split(","));
  expect([head, stderr]).toEqual([["date", "billable_tokens", "by_user.billable_tokens"], ""]);
  expect(rows.length).toBeGreaterThan(100);
  expect(rows.reduce((total, [, , own]) => total + Number(own), 0)).toBe(Number(rows[0]?.[1]));
});

test("--columns chooses columns of a table and of CSV, in its order", async () => {
  const table = await world.run(["analytics", "activity", "--since", "2d", "--columns", "sessions,Day"]);
  expect(linesOf(table.stdout)[0]).toMatch(/^sessions {2}day$/);
  const csv = await world.run("users list --limit 2 --csv --columns email,id");
  expect(linesOf(csv.stdout)).toEqual([
    "email,id",
    expect.stringMatching(/@example\.com,user_000000$/),
    expect.any(String),
  ]);
});

test.each([
  ["--columns day,nonsense", /--columns: there is no "nonsense"/, /There are: day, users, /],
  ["--columns date,nonsense --csv", /--columns: there is no "nonsense"/, /There are: date, daily_active_users, /],
  ["--each nonsense", /--each: there is no "nonsense"/, /There are: daily_active_users_by_client\./],
  ["--columns day --json", /cannot be used with/, /json/],
])("%s is wrong usage, and nothing is sent", async (options, message, hint) => {
  const before = world.sandbox.seen.length;
  const { exitCode, stderr } = await world.run(`analytics activity --since 1d ${options}`);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(message);
  expect(stderr).toMatch(hint);
  expect(world.sandbox.seen).toHaveLength(before);
});
