import { expect, test } from "vitest";
import { collect } from "../../src/report/collect.ts";
import { figuresOf } from "../../src/report/figures.ts";
import { gapsOf } from "../../src/report/gaps.ts";
import { daysOf } from "../../src/report/period.ts";
import { keys } from "../world/service/access.ts";
import { all, clientOf, failureOf, noonMs, openSandbox } from "../world/service/client.ts";
import { type Change, forbidden, period, startFront } from "./front.ts";
import { creditsRow, sumOf } from "./rows.ts";

test("a report takes one request for each part and one for each hundred users, and so does the period before", async () => {
  const sandbox = await openSandbox({ users: 250 });
  const report = await collect(clientOf(sandbox), period, { nowMs: noonMs });
  const asked = sandbox.seen.map(({ url }) => url.pathname.replace("/api/v1/analytics/", "")).sort();
  const ofPeriod = ["activity", "productivity", "tokens", "tools", "users", "users", "users"];
  const list = "/api/v0/organization/users";
  expect(asked).toEqual([list, list, list, ...[...ofPeriod, ...ofPeriod].sort()]);
  const previous = { period: { startDate: "2026-04-16", endDate: "2026-05-15" } };
  const madeAt = "2026-06-15T12:00:00.000Z";
  expect(report).toMatchObject({ organization: "org_sandbox", period, madeAt, previous });
  expect(gapsOf(report)).toEqual([]);
  expect(report.days).toHaveLength(30);
});

test("no request asks for more than thirty days, and the sums are those of the whole period", async () => {
  const sandbox = await openSandbox({ users: 120 });
  const long = { startDate: "2026-03-01", endDate: "2026-06-14" };
  const report = await collect(clientOf(sandbox), long, { nowMs: noonMs });
  const spans = sandbox.seen.flatMap(({ url }) => {
    const [first, last] = ["startDate", "endDate"].map((name) => url.searchParams.get(name));
    return first && last ? [daysOf({ startDate: first, endDate: last }).length] : [];
  });
  expect(Math.max(...spans)).toBe(30);
  expect(gapsOf(report)).toEqual([]);
  expect(report.people).toMatchObject({ users: 120, totals: { credits: report.credits?.total } });
});

test("a page of users that is too large is asked for in halves, with the same result", async () => {
  const sandbox = await openSandbox({ users: 120 });
  const whole = await collect(clientOf(sandbox), period, { nowMs: noonMs });
  const halved = await collect(clientOf(sandbox, { maxReplyBytes: 1_000_000 }), period, { nowMs: noonMs });
  const limits = new Set(sandbox.seen.map(({ url }) => url.searchParams.get("limit")));
  expect(limits).toContain("50");
  expect(halved).toEqual(whole);
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
  expect(report.toolUse?.hookRuns.total).toBe(sumOf(users, (row) => row.hooks));
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
  expect(gapsOf(report).map((gap) => [gap.part, gap.isBefore])).toEqual([
    [part, false],
    [part, true],
  ]);
  expect(report.coverage[part]).toMatchObject({ isComplete: false, absentDays: [] });
  expect(report.coverage[part]?.failure?.reason).not.toContain(keys.owner);
  const parts = ["credits", "activity", "toolUse", "productivity", "people"] as const;
  expect(parts.filter((name) => report[name] === undefined)).toEqual([part]);
});

/** The part of the sandbox's reply to `/tokens` that another reply needs. */
const meta = { org_id: "o", start_date: period.startDate, end_date: period.endDate };

test("rows of other days are counted only as strays", async () => {
  const sandbox = await openSandbox({ users: 20 });
  const row = (date: string) => ({ ...creditsRow(date, "m", 5), by_user: [] });
  const data = [row("2026-06-01"), row("2020-01-01"), row("</script>")];
  const baseUrl = await startFront(sandbox, { tokens: { status: 200, body: { data, meta } } });
  const report = await collect(clientOf({ ...sandbox, baseUrl }), period);
  expect(report.coverage.credits?.strayRows).toBe(2);
  expect(report.credits?.total).toBe(5);
  expect(report.credits?.byModel.total).toBe(5);
});

test("a list of users that breaks off says so, keeps what came, and knows no idle seats", async () => {
  const sandbox = await openSandbox({ users: 250 });
  const endless: Change = ({ data, meta: own }) => ({ data, meta: { ...own, has_more: true, next_cursor: null } });
  const baseUrl = await startFront(sandbox, { users: endless });
  const report = await collect(clientOf({ ...sandbox, baseUrl }), period);
  expect(report.people?.users).toBe(100);
  expect(report.coverage.people).toMatchObject({ isComplete: false, brokenOff: "missing cursor" });
  expect(report.seats).toEqual({ users: 250, idleSeats: [] });
  const figure = figuresOf(report).find(({ id }) => id === "active_users");
  expect(figure).toMatchObject({ value: 100, gap: "list incomplete", changeText: "" });
});

test("a part without a single row is absent, not a row of zeros", async () => {
  const sandbox = await openSandbox({ users: 20 });
  const baseUrl = await startFront(sandbox, { productivity: { status: 200, body: { data: [], meta } } });
  const report = await collect(clientOf({ ...sandbox, baseUrl }), period);
  expect(report.productivity).toBeUndefined();
  expect(figuresOf(report).find(({ id }) => id === "commits")).toMatchObject({ text: "–", gap: "no data" });
});

test("days on which nobody was active need no rows of users", async () => {
  const sandbox = await openSandbox({ users: 20 });
  const quiet = "2026-06-07";
  const isQuiet = ({ date }: { date: string }): boolean => date === quiet;
  const noUsers: Change = ({ data, meta: own }) => ({ data: data.filter((row) => !isQuiet(row)), meta: own });
  const nobody: Change = ({ data, meta: own }) => ({
    data: data.map((row) => (isQuiet(row) ? { ...row, daily_active_users: 0 } : row)),
    meta: own,
  });
  const absentDays = async (answers: Readonly<Record<string, Change>>) => {
    const baseUrl = await startFront(sandbox, answers);
    return (await collect(clientOf({ ...sandbox, baseUrl }), period)).coverage.people?.absentDays;
  };
  expect(await absentDays({ users: noUsers, activity: nobody })).toEqual([]);
  expect(await absentDays({ users: noUsers })).toEqual([quiet]);
});

test("users are listed by number where names are not wanted, and as many as wanted", async () => {
  const sandbox = await openSandbox({ users: 40 });
  const report = await collect(clientOf(sandbox), period, { listing: { top: 3, isNamed: false } });
  expect(report.people?.top.map(({ name }) => name)).toEqual(["User 1", "User 2", "User 3"]);
  expect(report.people?.rest.users).toBe(37);
  expect(JSON.stringify(report)).not.toMatch(/@example|user_0/);
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
