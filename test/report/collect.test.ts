import { describe, expect, onTestFinished, test } from "vitest";
import { toReportJson } from "../../src/cli/commands/service/report/run-report.ts";
import { keys } from "../../src/fake-service/access.ts";
import { collect, describeFailure } from "../../src/report/collect.ts";
import { computeFigures } from "../../src/report/figures.ts";
import { findGaps, gapText } from "../../src/report/gaps.ts";
import { renderPage } from "../../src/report/page/page.ts";
import { listDays, type Period } from "../../src/report/period.ts";
import { isComplete, type UsageReport } from "../../src/report/report.ts";
import { buildTables } from "../../src/report/tables.ts";
import { ConnectionError, TimeoutError } from "../../src/service/error.ts";
import { ServiceClient } from "../../src/service.ts";
import { fakeService } from "../../src/service-testing.ts";
import { readHtmlText } from "../world/html-text.ts";
import { catchFailure, makeClient, noonMs, openSandbox, useSandbox } from "../world/service/client.ts";
import { type Sandbox, startSandbox } from "../world/service/server.ts";
import { type Answers, type Change, period, startFront } from "./front.ts";
import { type DaysOfParts, expectedFigures } from "./generated.ts";
import { collectPlain, type Row, readFigure } from "./plain-service.ts";

/** Collects the report of a period. A server in front of the sandbox overrides the answers of some paths. */
async function collectBehind(sandbox: Sandbox, answers: Answers): Promise<UsageReport> {
  const baseUrl = await startFront(sandbox, answers);
  return collect(makeClient({ ...sandbox, baseUrl }), period, { nowMs: noonMs });
}

test("a report and its previous period each take one request per part and per hundred users", async () => {
  const sandbox = await openSandbox({ users: 250 });
  const report = await collect(makeClient(sandbox), period, { nowMs: noonMs });
  const asked = sandbox.seen.map(({ url }) => url.pathname.replace("/api/v1/analytics/", "")).sort();
  const ofPeriod = ["activity", "productivity", "tokens", "tools", "users", "users", "users"];
  const list = "/api/v0/organization/users";
  expect(asked).toEqual([list, list, list, ...[...ofPeriod, ...ofPeriod].sort()]);
  const previous = { period: { startDate: "2026-04-16", endDate: "2026-05-15" } };
  const madeAt = "2026-06-15T12:00:00.000Z";
  expect(report).toMatchObject({ organization: "org_sandbox", period, madeAt, previous });
  expect(findGaps(report)).toEqual([]);
  expect(report.days).toHaveLength(30);
});

test("no request exceeds thirty days, and the sums are those of the whole period", async () => {
  const sandbox = await openSandbox({ users: 120 });
  const long = { startDate: "2026-03-01", endDate: "2026-06-14" };
  const report = await collect(makeClient(sandbox), long, { nowMs: noonMs });
  const spans = sandbox.seen.flatMap(({ url }) => {
    const [first, last] = ["startDate", "endDate"].map((name) => url.searchParams.get(name));
    return first && last ? [listDays({ startDate: first, endDate: last }).length] : [];
  });
  expect(Math.max(...spans)).toBe(30);
  expect(findGaps(report)).toEqual([]);
  expect(report.people).toMatchObject({ users: 120, totals: { credits: report.credits?.total } });
});

test("a slice of credits too large for a reply is requested in halves, with the same result", async () => {
  const sandbox = await openSandbox({ users: 4 });
  const span = { startDate: "2026-04-16", endDate: "2026-06-14" };
  const maxReplyBytes = 1_000_000;
  const spans: number[] = [];
  const tooLarge: Change = (reply, url) => {
    const [start, end] = ["startDate", "endDate"].map((name) => Date.parse(url.searchParams.get(name) ?? ""));
    const isLong = Number(end) - Number(start) > 7 * 86_400_000;
    spans.push((Number(end) - Number(start)) / 86_400_000 + 1);
    return { ...reply, ...(isLong && { padding: "x".repeat(maxReplyBytes) }) };
  };
  const baseUrl = await startFront(sandbox, { tokens: tooLarge });
  const halved = await collect(makeClient({ ...sandbox, baseUrl }, { maxReplyBytes }), span, { nowMs: noonMs });
  expect(spans).toEqual(expect.arrayContaining([10, 7]));
  expect([findGaps(halved), isComplete(halved)]).toEqual([[], true]);
  expect(halved).toEqual(await collect(makeClient(sandbox), span, { nowMs: noonMs }));
});

test("a service that limits requests costs time and no data, and the report says how long", async () => {
  const service = await fakeService({ users: 20, days: 60, now: () => noonMs });
  onTestFinished(() => service.close());
  const { fetch, apiKey } = service;
  const tuning = { fetch, now: () => noonMs, sleep: () => Promise.resolve() };
  const client = new ServiceClient({ baseUrl: service.url, appUrl: service.url, apiKey, ...tuning });
  const whole = await collect(client, period, { nowMs: noonMs });
  service.fail(429, 20); // more for each of the requests at the same time than are repeated by default
  const limited = await collect(client, period, { nowMs: noonMs });
  expect(limited).toEqual({ ...whole, waitedMs: expect.any(Number) });
  expect(toReportJson(limited).waitedMs).toBeGreaterThan(1000);
});

test("a report survives a round trip through JSON", async () => {
  const report = await collect(makeClient(await openSandbox({ users: 20 })), period);
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
});

test("an incomplete list of users says so, keeps its users, and has no idle seats", async () => {
  const sandbox = await openSandbox({ users: 250 });
  const endless: Change = ({ data, meta: own }) => ({ data, meta: { ...own, has_more: true, next_cursor: null } });
  const report = await collectBehind(sandbox, { users: endless });
  expect(report.people?.users).toBe(100);
  expect(report.coverage.people).toMatchObject({ isComplete: false, brokenOff: "missing cursor" });
  expect(report.seats).toEqual({ users: 250, idleSeats: [] });
  const figure = computeFigures(report).find(({ id }) => id === "active_users");
  expect(figure).toMatchObject({ value: 100, gap: "list incomplete", changeText: "" });
});

test("days without activity need no rows of users", async () => {
  const sandbox = await openSandbox({ users: 20 });
  const quiet = "2026-06-07";
  const isQuiet = ({ date }: { date: string }): boolean => date === quiet;
  const noUsers: Change = ({ data, meta: own }) => ({ data: data.filter((row) => !isQuiet(row)), meta: own });
  const quieten = (row: { date: string }) => (isQuiet(row) ? { ...row, daily_active_users: 0 } : row);
  const nobody: Change = ({ data, meta: own }) => ({ data: data.map(quieten), meta: own });
  const absentDays = async (answers: Readonly<Record<string, Change>>) =>
    (await collectBehind(sandbox, answers)).coverage.people?.absentDays;
  expect(await absentDays({ users: noUsers, activity: nobody })).toEqual([]);
  expect(await absentDays({ users: noUsers })).toEqual([quiet]);
});

test("users are numbered if names are unwanted, up to the requested number", async () => {
  const sandbox = await openSandbox({ users: 40 });
  const report = await collect(makeClient(sandbox), period, { listing: { top: 3, isNamed: false } });
  expect(report.people?.top.map(({ name }) => name)).toEqual(["User 1", "User 2", "User 3"]);
  expect(report.people?.rest.users).toBe(37);
  expect(JSON.stringify(report)).not.toMatch(/@example|user_0/);
});

test("if every part fails, the service's error is thrown", async () => {
  const sandbox = await openSandbox({ users: 20 });
  const member = makeClient(sandbox, { apiKey: keys.member });
  expect(await catchFailure(collect(member, period))).toMatchObject({ name: "PermissionError", status: 403 });
  const wrong = makeClient(sandbox, { apiKey: "wrong" });
  expect(await catchFailure(collect(wrong, period))).toMatchObject({ name: "AuthenticationError", status: 401 });
});

test("a period without data is rejected before anything is sent", async () => {
  const sandbox = await openSandbox({ users: 20 });
  const today = { startDate: "2026-06-15", endDate: "2026-06-15" };
  expect(await catchFailure(collect(makeClient(sandbox), today))).toMatchObject({ name: "ArgumentError" });
  expect(sandbox.seen).toEqual([]);
});

describe("agreement", () => {
  const users = 100;
  /** Number of users with which a whole year takes more than a hundred pages. */
  const fewUsers = 40;
  const days = listDays(period);
  const before: Period = { startDate: "2026-04-16", endDate: "2026-05-15" };

  const sandbox = useSandbox({ users });

  const sameDays = (own: readonly string[]): DaysOfParts => {
    return { credits: own, activity: own, toolUse: own, productivity: own, people: own };
  };

  /** Fails unless every figure and its line in the CSV are as expected. */
  function expectFigures(report: UsageReport, expected: Readonly<Record<string, number | undefined>>): void {
    const figures = computeFigures(report);
    expect(figures.map(({ id }) => id)).toEqual(Object.keys(expected));
    const table = buildTables(report).find(({ name }) => name === "figures");
    const cells = new Map(table?.rows.map(([id, value]) => [id, value]));
    for (const { id, value } of figures) {
      expect(cells.get(id), id).toBe(value);
      expectNear(value, expected[id], id);
    }
  }

  /** Expects a number. Sums must be exact; quotients may differ in their last digits. */
  function expectNear(value: number | undefined, expected: number | undefined, name: string): void {
    if (value === undefined || expected === undefined || Number.isInteger(expected)) expect(value, name).toBe(expected);
    else expect(Math.abs(value / expected - 1), name).toBeLessThan(1e-9);
  }

  test("every figure of thirty days and of the previous period is the sum of the users' activity", async () => {
    const report = await collect(makeClient(sandbox), period, { nowMs: noonMs });
    expectFigures(report, expectedFigures(users, sameDays(days)));
    const expected = expectedFigures(users, sameDays(listDays(before)));
    for (const { id, value, previous, change } of computeFigures(report)) {
      if (id === "idle_seats" || id === "active_share") expect(previous).toBeUndefined();
      else {
        expectNear(previous, expected[id], id);
        const [own = 0, past = 0] = [value, expected[id]];
        expectNear(change, id.endsWith("share") ? own - past : own / past - 1, id);
      }
    }
    expect(findGaps(report)).toEqual([]);
  });

  test("every figure of a whole year is the sum of the users' activity", async () => {
    const year = { startDate: "2026-01-14", endDate: "2027-01-13" };
    const nowMs = Date.UTC(2027, 0, 14, 12);
    const later = await startSandbox({ now: () => nowMs, sizes: { users: fewUsers } });
    const report = await collect(makeClient(later, { now: () => nowMs }), year, { nowMs });
    await later.close();
    expect(report.days).toHaveLength(365);
    expectFigures(report, expectedFigures(fewUsers, sameDays(report.days)));
    expect([isComplete(report), report.previous]).toEqual([true, undefined]);
  });
});

test("a gap of all daily parts is said once, and any other beside each figure", async () => {
  const drop = (rows: Row[]): Row[] => rows.filter(({ date }) => date !== "2026-06-12");
  const damage = (rows: Row[]): Row[] =>
    rows.map((row) => (row["date"] === "2026-06-12" ? { date: row["date"] } : row));
  const all = { tokens: drop, activity: drop, tools: drop, productivity: drop, users: drop };
  const [whole, some] = [await collectPlain(all), await collectPlain({ tokens: damage })];
  expect(renderPage(whole)).toContain("<strong>All daily data</strong>");
  const unread = "Credits and tokens: 1 row could not be read and is not counted (all of 12 Jun)";
  expect(findGaps(some).map(gapText)).toContain(unread);
  for (const id of ["credits", "credits_per_session"]) {
    const badge = new RegExp(`id="figure-${id}".*?<span class="gap">4 of 5 days`);
    expect([whole, some].map((report) => badge.test(renderPage(report)))).toEqual([false, true]);
    for (const report of [whole, some]) expect(readFigure(report, id)?.gap).toMatch(/^4 of 5 days/);
  }
});

const body = { title: "Internal Error", detail: "Something broke.", status: 500, requestId: "req_42" };
const readNotice = (page: string): string => readHtmlText(/<aside[^>]*>(.*?)<\/aside>/s.exec(page)?.[1] ?? "");

test.each([
  [500, "the service failed (500 Internal Error: Something broke)"],
  [403, "the key is not allowed to read these data (403 Internal Error: Something broke)"],
  [409, "the service refused the request (409 Internal Error: Something broke)"],
  [200, "the service sent a reply that could not be read"],
])("the page says plainly that status %d cost a part, with the request's id", async (status, plain) => {
  const report = await collectPlain({ tools: { status, body: { ...body, status } } });
  const notice = readNotice(renderPage(report));
  if (status !== 200) expect(notice).toContain(`missing: ${plain} (request req_42).`);
  else expect(notice).toContain(`missing: ${plain}`);
  expect(notice).not.toMatch(/`|https?:|127\.0\.0\.1/);
  if (status !== 200) expect(findGaps(report)[0]?.text).toMatch(/^missing: http:.* answered \d+ .*\(request req_42\)$/);
});

test.each([
  [new TimeoutError("timeout", "`http://x` did not answer"), "the service did not answer in time"],
  [new ConnectionError("unavailable", "`http://x` cannot be reached"), "the service could not be reached"],
])("%s is said plainly", (error, plainReason) => {
  expect(describeFailure(error)).toMatchObject({ plainReason });
});
