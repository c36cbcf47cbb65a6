import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { toReportJson } from "../../src/cli/commands/service/report/run-report.ts";
import { collect } from "../../src/report/collect.ts";
import { computeFigures } from "../../src/report/figures.ts";
import { listDays } from "../../src/report/period.ts";
import { buildSummary } from "../../src/report/summary.ts";
import { ServiceClient } from "../../src/service.ts";

/**
 * An organization of sixty people over ninety days, on a server written from the API document alone: some ids differ
 * between analytics and the list of users, some rows lack the address, days are missing, rows come twice, people have
 * left, and requests are limited. This file adds up the rows on its own.
 */

type Row = Readonly<Record<string, unknown>>;
const nowMs = Date.UTC(2026, 7, 31, 12);
const period = { startDate: "2026-06-02", endDate: "2026-08-30" };
const holes = ["2026-06-12", "2026-07-12", "2026-07-13"];
const doubled = "2026-07-01";
const people = Array.from({ length: 60 }, (_, n) => n);
const address = (n: number): string => `p${n}@example.com`;
const organization = people.slice(2).map((n) => ({ id: n % 2 ? `org_${n}` : `usr_${n}`, email: address(n) }));

function makeUserRow(n: number, date: string) {
  const day = Date.parse(date) / 86_400_000;
  const seed = (n * 7919 + day * 104_729) % 1009;
  const user_messages = 1 + (seed % 7);
  return {
    ...{ user_id: `usr_${n}`, user_email: n % 10 === 4 ? null : address(n), date, primary_model: "large" },
    ...{ primary_model_tier: "standard", billable_tokens: 100 + seed, tool_calls: 10 + (seed % 90) },
    ...{ sessions: 1 + (seed % 3), messages: 4 * user_messages, user_messages, assistant_messages: 3 * user_messages },
    ...{ git_commits: seed % 4, git_prs_created: seed % 2, files_created: 1, files_edited: 2, mcp_calls: 0, hooks: 0 },
    ...{ skill_calls: 0, slash_commands: 0, autonomy_ratio: 2, delegation_level: "spec", languages: [] },
  };
}
type UserRow = ReturnType<typeof makeUserRow>;

/** Makes the rows of a day: three people never work, and a fifth of the others rests. */
const makeDay = (date: string): UserRow[] =>
  people.flatMap((n) => (n >= 57 || (n + Date.parse(date) / 86_400_000) % 5 === 0 ? [] : [makeUserRow(n, date)]));
const add = <Item>(items: readonly Item[], measure: (item: Item) => number): number =>
  items.reduce((total, item) => total + measure(item), 0);

function makeRow(path: string, date: string): Row {
  const day = makeDay(date);
  const total = (field: keyof UserRow): number => add(day, (row) => Number(row[field]));
  const credits = total("billable_tokens");
  const tokens = { billable_tokens: credits, input_tokens: 3 * credits, output_tokens: 2 * credits };
  const counts = { tool_calls: total("tool_calls"), mcp_users_with_mcp: day.length % 9, web_users: day.length % 7 };
  const rows: Readonly<Record<string, Row>> = {
    tokens: {
      ...{ date, ...tokens, cache_read_tokens: credits, cache_write_tokens: 7, by_user: [] },
      by_model: [{ model_id: "large", model_tier: "standard", ...tokens }],
    },
    activity: {
      ...{ date, daily_active_users: day.length, weekly_active_users: 57, monthly_active_users: 57 },
      ...{ daily_active_users_by_client: { web: day.length }, sessions: total("sessions") },
      ...{ messages: total("messages"), user_messages: total("user_messages") },
    },
    productivity: {
      ...{ date, files_created: day.length, files_edited: 2 * day.length, by_extension: [], by_language: [] },
      ...{ git_commits: total("git_commits"), git_prs_created: total("git_prs_created") },
    },
    tools: {
      ...{ date, ...counts, by_tool: [{ tool: "Read", invocations: counts.tool_calls }], mcp_by_server: [] },
      ...{ skills_invocations: 0, skills_by_name: [], slash_commands_invocations: 0, slash_commands_by_name: [] },
      ...{ hooks_invocations: 0, hooks_by_event: [], autonomy_ratio_avg: 3, autonomy_ratio_p50: day.length % 5 },
      ...{ autonomy_ratio_p90: day.length % 8, tool_calls_per_session_avg: 1, user_turns_per_session_avg: 1 },
      tool_autonomy_level_ratio: { auto_high: 1, auto_medium: 0, auto_low: 0, manual: 0 },
    },
  };
  return rows[path] ?? {};
}

/** Answers a request as the document says, with the holes and doubles. */
function answer(url: URL): Row {
  const path = url.pathname.split("/").at(-1) ?? "";
  const at = Number(url.searchParams.get("cursor") ?? 0);
  const limit = Number(url.searchParams.get("limit") ?? 20);
  if (url.pathname.endsWith("organization/users")) {
    const pagination = { hasMore: at + limit < organization.length, nextCursor: String(at + limit) };
    return { users: organization.slice(at, at + limit), pagination };
  }
  const [startDate = "", endDate = ""] = ["startDate", "endDate"].map((name) => url.searchParams.get(name) ?? "");
  const days = listDays({ startDate, endDate }).filter((day) => !holes.includes(day));
  const twice = days.flatMap((day) => (day === doubled ? [day, day] : [day]));
  const meta = { org_id: "org", start_date: startDate, end_date: endDate };
  if (path !== "users") return { data: twice.map((day) => makeRow(path, day)), meta };
  const rows = twice.flatMap(makeDay);
  const paging = { has_more: at + limit < rows.length, next_cursor: String(at + limit) };
  return { data: rows.slice(at, at + limit), meta: { ...meta, ...paging } };
}

/** Starts the server, which allows some requests in each second of a clock that only the client's pauses move. */
async function startService(perSecond: number, headers: Record<string, string>) {
  const clock = { nowMs: 0 };
  let seen: number[] = [];
  const server = createServer((request, response) => {
    seen = seen.filter((at) => at > clock.nowMs - 1000);
    const isAllowed = seen.length < perSecond;
    if (isAllowed) seen.push(clock.nowMs);
    response.writeHead(isAllowed ? 200 : 429, isAllowed ? {} : headers);
    response.end(isAllowed ? JSON.stringify(answer(new URL(request.url ?? "/", "http://localhost"))) : "{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const sleep = async (ms: number): Promise<void> => {
    const endMs = clock.nowMs + ms;
    await new Promise((resolve) => setImmediate(resolve));
    clock.nowMs = Math.max(clock.nowMs, endMs);
  };
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sleep };
}

/** Adds up the figures of days. */
function expectFigures(days: readonly string[]): Record<string, number> {
  const own = days.map(makeDay);
  const rows = own.flat();
  const total = (field: keyof UserRow): number => add(rows, (row) => Number(row[field]));
  const mean = (measure: (day: UserRow[]) => number): number => add(own, measure) / own.length;
  const byPerson = people.map((n) =>
    add(
      rows.filter((row) => row.user_id === `usr_${n}`),
      (row) => row.billable_tokens,
    ),
  );
  const spread = byPerson.filter((credits) => credits > 0).sort((a, b) => b - a);
  const credits = total("billable_tokens");
  return {
    ...{ credits, active_users: 57, sessions: total("sessions"), tool_calls: total("tool_calls") },
    ...{ commits: total("git_commits"), pull_requests: total("git_prs_created"), input_tokens: 3 * credits },
    ...{ output_tokens: 2 * credits, cache_read_tokens: credits, cache_write_tokens: 7 * days.length },
    ...{ cache_share: 1 / 3, active_share: 55 / 58, idle_seats: 3, daily_active_users: mean((day) => day.length) },
    ...{ weekly_active_users: 57, monthly_active_users: 57, mcp_users: mean((day) => day.length % 9) },
    ...{ web_users: mean((day) => day.length % 7), credits_per_active_user: credits / 57 },
    credits_per_session: credits / total("sessions"),
    credits_per_pull_request: credits / total("git_prs_created"),
    ...{ credits_median: spread[28] ?? 0, top_tenth_share: add(spread.slice(0, 6), (value) => value) / credits },
    autonomy_avg: total("tool_calls") / total("user_messages"),
    autonomy_p50: mean((day) => day.length % 5),
    autonomy_p90: mean((day) => day.length % 8),
    tool_calls_per_session: total("tool_calls") / total("sessions"),
    prompts_per_session: total("user_messages") / total("sessions"),
  };
}

const round = (value: number | undefined): number | undefined => value && Number(value.toPrecision(10));

test.each([
  [5, {}],
  [2, { "retry-after": "1" }],
  [1, {}],
] as const)("with %s requests a second, every figure is the sum of the rows", async (perSecond, headers) => {
  const { baseUrl, sleep } = await startService(perSecond, headers);
  const client = new ServiceClient({ baseUrl, apiKey: "key", now: () => nowMs, sleep, maxConcurrency: 2 });
  const teams = new Map([["shop", [4, 14, 5, 0].map(address)]]);
  const report = await collect(client, period, { nowMs, teams, listing: { top: 60, isNamed: true } });
  const days = listDays(period).filter((day) => !holes.includes(day));
  const before = listDays({ startDate: "2026-03-04", endDate: "2026-06-01" });
  const [expected, past] = [expectFigures(days), expectFigures(before)];
  const figures = computeFigures(report);
  expect(Object.fromEntries(figures.map(({ id, value }) => [id, round(value)]))).toEqual(
    Object.fromEntries(Object.entries(expected).map(([id, value]) => [id, round(value)])),
  );
  const changes = new Map(figures.map(({ id, change, basis }) => [id, [round(change), basis]]));
  const grown = (id: string): number => (expected[id] ?? 0) / 87 / ((past[id] ?? 0) / 90) - 1;
  for (const id of ["credits", "sessions", "tool_calls", "commits", "pull_requests"])
    expect(changes.get(id), id).toEqual([round(grown(id)), "day"]);
  for (const id of ["active_users", "credits_per_active_user", "credits_median", "top_tenth_share"])
    expect(changes.get(id), id).toEqual([undefined, undefined]);
  const rows = days.flatMap(makeDay);
  const addCredits = (...own: number[]) =>
    add(
      rows.filter((row) => own.some((n) => row.user_id === `usr_${n}`)),
      (row) => row.billable_tokens,
    );
  expect(report.teams?.teams).toMatchObject([{ name: "shop", active: 4, credits: addCredits(4, 14, 5, 0) }]);
  expect(report.people?.top.map(({ name, credits }) => [name, credits]).sort()).toEqual(
    people
      .slice(0, 57)
      .map((n) => [address(n), addCredits(n)])
      .sort(),
  );
  expect(report.seats).toMatchObject({
    users: 58,
    idle: 3,
    former: 2,
    idleSeats: [57, 58, 59].map((n) => ({ name: address(n) })),
  });
  expect(report.coverage.people).toMatchObject({ absentDays: holes, repeatedRows: makeDay(doubled).length });
  expect(report.coverage.credits).toMatchObject({ absentDays: holes, repeatedRows: 1 });
  expect(report.movement).not.toHaveProperty("newUsers");
  expect(buildSummary(report).sentence).toMatch(/^Credits \S+ a day, 3 of 58 seats idle, pull requests \S+ a day; /);
  expect(toReportJson(report).waitedMs).toBeGreaterThan(1000);
});
