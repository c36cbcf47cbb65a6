import { expect, test } from "vitest";
import { collect } from "../../src/report/collect.ts";
import { keys } from "../helpers/service/access.ts";
import { all, clientOf, failureOf, noonMs, openSandbox } from "../helpers/service/world.ts";
import { sumOf } from "./rows.ts";
import { forbidden, period, startFront } from "./world.ts";

test("a report takes one request for each part and one for each hundred users", async () => {
  const sandbox = await openSandbox({ users: 250 });
  const report = await collect(clientOf(sandbox), period, { nowMs: noonMs });
  const asked = sandbox.seen.map(({ url }) => url.pathname.replace("/api/v1/analytics/", "")).sort();
  expect(asked).toEqual(["activity", "productivity", "tokens", "tools", "users", "users", "users"]);
  expect(report).toMatchObject({ period, madeAt: "2026-06-15T12:00:00.000Z", missing: [], strayRows: 0 });
  expect(report.days).toHaveLength(30);
});

test("its numbers are the sums of the service's rows", async () => {
  const client = clientOf(await openSandbox({ users: 250 }));
  const report = await collect(client, period);
  const [tokens, tools, users] = await Promise.all([
    all(client.analytics.tokens(period)),
    all(client.analytics.tools({ ...period, groupBy: "tool_name" })),
    all(client.analytics.users({ ...period, limit: 50 })),
  ]);
  const credits = sumOf(users, (row) => row.billable_tokens);
  expect(report.credits?.total).toBe(credits);
  expect(report.people?.totals.credits).toBe(credits);
  expect(report.credits?.byDay.values).toEqual(tokens.map((row) => row.billable_tokens));
  expect(report.toolUse?.tools.total).toBe(sumOf(tools, (row) => row.tool_calls));
  expect(report.toolUse?.hookRuns).toBe(sumOf(users, (row) => row.hooks));
  expect(report.activity?.sessions.total).toBe(sumOf(users, (row) => row.sessions));
  expect(report.productivity?.commits.total).toBe(sumOf(users, (row) => row.git_commits));
  expect(report.people?.active).toBe(new Set(users.filter((row) => row.sessions > 0).map((row) => row.user_id)).size);
});

test("it can be written as JSON and read again", async () => {
  const report = await collect(clientOf(await openSandbox({ users: 20 })), period);
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
});

test.each([
  ["refused", "users", forbidden, "people"],
  ["nonsense", "tools", { status: 200, body: { data: "?" } }, "toolUse"],
  ["not found", "tokens", { status: 404, body: {} }, "credits"],
] as const)("a part that is %s is named, and the others are there", async (_, path, answer, part) => {
  const sandbox = await openSandbox({ users: 20 });
  const baseUrl = await startFront(sandbox, { [path]: answer });
  const report = await collect(clientOf({ ...sandbox, baseUrl }), period);
  expect(report.missing.map((one) => one.part)).toEqual([part]);
  expect(report.missing[0]?.reason).not.toContain(keys.owner);
  const parts = ["credits", "activity", "toolUse", "productivity", "people"] as const;
  expect(parts.filter((name) => report[name] === undefined)).toEqual([part]);
});

test("rows of other days are counted only as strays", async () => {
  const sandbox = await openSandbox({ users: 20 });
  const row = (date: string) => ({ date, group_key: "m", billable_tokens: 5, input_tokens: 1, output_tokens: 1 });
  const meta = { org_id: "o", start_date: period.startDate, end_date: period.endDate };
  const data = [row("2026-06-01"), row("2020-01-01"), row("</script>")];
  const baseUrl = await startFront(sandbox, { tokens: { status: 200, body: { data, meta } } });
  const report = await collect(clientOf({ ...sandbox, baseUrl }), period);
  expect(report.strayRows).toBe(2);
  expect(report.credits?.total).toBe(5);
  expect(report.credits?.byModel.total).toBe(5);
});

test("if every part fails, the service's error is thrown", async () => {
  const sandbox = await openSandbox({ users: 20 });
  const member = clientOf(sandbox, { apiKey: keys.member });
  expect(await failureOf(collect(member, period))).toMatchObject({ name: "PermissionError", status: 403 });
  const wrong = clientOf(sandbox, { apiKey: "wrong" });
  expect(await failureOf(collect(wrong, period))).toMatchObject({ name: "AuthenticationError", status: 401 });
});

test("a period without data is rejected before anything is sent", async () => {
  const sandbox = await openSandbox({ users: 20 });
  const today = { startDate: "2026-06-15", endDate: "2026-06-15" };
  expect(await failureOf(collect(clientOf(sandbox), today))).toMatchObject({ name: "ArgumentError" });
  expect(sandbox.seen).toEqual([]);
});

test("the caller's signal aborts it", async () => {
  const sandbox = await openSandbox({ users: 20 });
  const call = collect(clientOf(sandbox), period, { signal: AbortSignal.abort() });
  expect(await failureOf(call)).toMatchObject({ name: "AbortError" });
});
