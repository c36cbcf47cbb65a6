import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildCoverage, type Coverage } from "../../src/report/coverage.ts";
import { computeFigures, type Figure } from "../../src/report/figures.ts";
import * as format from "../../src/report/format.ts";
import { findGaps, formatShortGap, gapText } from "../../src/report/gaps.ts";
import {
  otherModels,
  summarizeActivity,
  summarizeCredits,
  summarizeProductivity,
  summarizeToolUse,
} from "../../src/report/parts.ts";
import { buildSteps, groupRanges, listDays, previousPeriod, splitPeriod } from "../../src/report/period.ts";
import { buildRanking, shownName, takeTop } from "../../src/report/ranking.ts";
import { isComplete, type PeriodUsage, type UsageReport } from "../../src/report/report.ts";
import { readLast } from "../../src/report/series.ts";
import { buildSummary } from "../../src/report/summary.ts";
import type { ActivityRow, ToolUsageRow, UserRow } from "../../src/service/schemas/analytics.ts";
import {
  activityRows,
  creditsRow,
  creditsRows,
  days,
  emptyReport,
  productivityRows,
  quietUser,
  sumBy,
  tallyPeople,
  toolRows,
  userRows,
} from "./rows.ts";

const before = { startDate: "2026-05-29", endDate: "2026-05-31" };

describe("figures", () => {
  const people = (active: number) => ({
    users: active,
    active,
    activeWithCredits: active,
    byDay: tallyPeople(days.map((date) => ({ ...quietUser, date, billable_tokens: 10 }))).byDay,
    spread: { median: 6, topTenthShare: 0.5 },
    totals: { credits: 60, sessions: 1, messages: 1, toolCalls: 1, commits: 1, pullRequests: 1 },
    top: [],
    rest: { users: 0, credits: 0, sessions: 0, messages: 0, toolCalls: 0, commits: 0, pullRequests: 0 },
  });

  /** Makes the usage of a period with ten credits on each day that has data. */
  function buildUsage(own: readonly string[], absentDays: string[], more: Partial<Coverage> = {}): PeriodUsage {
    const rows = own.filter((day) => !absentDays.includes(day)).map((day) => creditsRow(day, "m", 10));
    const coverage = buildCoverage({ absentDays, ...more });
    return {
      period: { startDate: own[0] ?? "", endDate: own.at(-1) ?? "" },
      days: own,
      credits: summarizeCredits(rows, own),
      people: people(5),
      coverage: { credits: coverage, people: coverage },
    };
  }

  const whole = buildUsage(days, []);
  /** Computes a figure of a whole period that is compared with another period. */
  function figure(id: string, previous: PeriodUsage, price?: UsageReport["price"]): Figure | undefined {
    const report = { ...emptyReport, ...whole, previous, ...(price && { price }) };
    return computeFigures(report).find((candidate) => candidate.id === id);
  }

  const wholeBefore = buildUsage(listDays(before), []);
  const gapBefore = buildUsage(listDays(before), ["2026-05-30"]);

  test("a sum of equally many days is compared directly, of other days by the daily mean", () => {
    const same = { value: 30, previous: 30, changeText: "±0.0% from 30" };
    expect(figure("credits", wholeBefore)).toMatchObject(same);
    const compared = figure("credits", gapBefore);
    expect(compared).toMatchObject({ value: 30, previous: 20, changeText: "±0.0% a day", basis: "day", gap: "" });
    expect(buildSummary({ ...emptyReport, ...whole, previous: gapBefore }).sentence).toMatch(/^Credits ±0.0% a day, /);
    expect(buildSummary({ ...emptyReport, ...whole, previous: wholeBefore }).sentence).toMatch(/^Credits ±0.0%, /);
    expect(compared?.change).toBeCloseTo(0, 10);
  });

  test("users, and numbers per user, are compared only between complete periods", () => {
    const price = { perCredit: 0.5, currency: "EUR" };
    for (const id of ["active_users", "credits_per_active_user", "cost_per_active_user", "credits_median"]) {
      expect(figure(id, wholeBefore, price)).toMatchObject({ change: 0, basis: "value" });
      expect(figure(id, gapBefore, price)).toMatchObject({ changeText: "" });
      expect(figure(id, gapBefore, price)).not.toHaveProperty("change");
    }
  });

  test("a percentage changes by points, whatever the days", () => {
    const { credits } = wholeBefore;
    const doubled = credits && { ...credits, cacheReadTokens: { ...credits.inputTokens, values: [0.5, 0.5, 0.5] } };
    const figures = [figure("cache_share", { ...wholeBefore, ...(doubled && { credits: doubled }) })];
    expect(figures[0]).toMatchObject({ value: 0, previous: 0.5, change: -0.5, basis: "points" });
    expect(figures[0]?.changeText).toBe("−50.0 points from 50.0%");
  });

  test("an incomplete list is not compared", () => {
    const cut = buildUsage(listDays(before), [], { brokenOff: "missing cursor" });
    for (const id of ["credits", "active_users", "credits_per_active_user"]) {
      expect(figure(id, cut)).toMatchObject({ changeText: "" });
      expect(figure(id, cut)?.change).toBeUndefined();
    }
  });

  test("a price converts credits to money, and without a price there is no cost", () => {
    const price = { perCredit: 0.5, currency: "EUR" };
    expect(figure("cost", wholeBefore, price)).toMatchObject({ value: 15, text: "€15.00", previous: 15 });
    expect(figure("cost_per_active_user", wholeBefore, price)).toMatchObject({ value: 3, text: "€3.00" });
    expect(figure("cost", wholeBefore)).toBeUndefined();
  });

  test("a figure without data is present, without a value", () => {
    const [sessions] = computeFigures(emptyReport).filter(({ id }) => id === "sessions");
    expect(sessions).toMatchObject({ text: "–", note: "", changeText: "" });
    expect(sessions?.value).toBeUndefined();
  });
});

describe("gaps", () => {
  const previous = (coverage: PeriodUsage["coverage"]) => ({ period: before, days: listDays(before), coverage });

  const answered = { startDate: "2026-06-02", endDate: "2026-06-03" };
  test.each([
    [{ absentDays: ["2026-06-01", "2026-06-03"] }, "no data for 2 of 3 days (1 Jun, 3 Jun)", "1 of 3 days"],
    [{ absentDays: days }, "no data for 3 of 3 days (1–3 Jun)", "no data"],
    [{ answered }, "the service only has data for 2 Jun 2026 to 3 Jun 2026", "not all days"],
    [{ brokenOff: "empty cursor" }, "the service did not send everything (empty cursor)", "list incomplete"],
    [{ brokenRows: 2 }, "2 rows could not be read and are not counted", "without 2 rows"],
    [{ strayRows: 1 }, "1 row for other days is not counted", ""],
    [{ failure: { reason: "403 Forbidden", hint: "Ask." } }, "missing: 403 Forbidden", "no data"],
  ] as const)("%j is shown in words", (known, text, short) => {
    const report = { ...emptyReport, coverage: { credits: buildCoverage(known) } };
    expect(findGaps(report).map(gapText)).toEqual([`Credits and tokens: ${text}`]);
    expect(formatShortGap(report, ["credits", "activity"])).toBe(short);
    expect(isComplete(report)).toBe(short === "");
  });

  test("gaps of the previous period are reported, and leave the report complete", () => {
    const credits = buildCoverage({ absentDays: ["2026-05-30"] });
    const activity = buildCoverage({ failure: { reason: "500" } });
    const report = { ...emptyReport, previous: previous({ credits, activity }) };
    expect(findGaps(report).map(gapText)).toEqual([
      "Credits and tokens, previous period: no data for 1 of 3 days (30 May)",
      "Activity, previous period: missing: 500",
    ]);
    expect(isComplete(report)).toBe(true);
  });

  test("a previous period unknown to the service is not a gap", () => {
    const nothing = buildCoverage({ absentDays: listDays(before) });
    expect(findGaps({ ...emptyReport, previous: previous({ credits: nothing, activity: nothing }) })).toEqual([]);
  });

  test("only the first ranges of many days without data are named", () => {
    const own = listDays({ startDate: "2026-06-01", endDate: "2026-06-30" });
    const odd = own.filter((_, index) => index % 2 === 0);
    const report = { ...emptyReport, days: own, coverage: { credits: buildCoverage({ absentDays: odd }) } };
    expect(findGaps(report)[0]?.text).toMatch(/^no data for 15 of 30 days \(1 Jun, .*, 11 Jun and 9 more\)$/);
  });
});

test("every number of credits is the sum of the rows", () => {
  const property = fc.property(creditsRows, (rows) => {
    const credits = summarizeCredits(rows, days);
    const total = sumBy(rows, (row) => row.billable_tokens);
    expect(credits.total).toBe(total);
    expect(credits.inputTokens.total).toBe(sumBy(rows, (row) => row.input_tokens));
    expect(credits.outputTokens.total).toBe(sumBy(rows, (row) => row.output_tokens));
    expect(credits.cacheReadTokens.total).toBe(sumBy(rows, (row) => row.cache_read_tokens));
    expect(credits.cacheWriteTokens.total).toBe(sumBy(rows, (row) => row.cache_write_tokens));
    expect(credits.byTier.total).toBe(total);
    expect(credits.byModel.total).toBe(total);
    expect(sumBy(credits.byModel.top, ({ count }) => count) + credits.byModel.rest.count).toBe(total);
    expect(sumBy(credits.modelsByDay, (series) => series.total)).toBe(total);
    days.forEach((day, index) => {
      const own = rows.filter(({ date }) => date === day);
      const ofDay = sumBy(own, (row) => row.billable_tokens);
      expect(credits.byDay.values[index]).toBe(own.length === 0 ? null : ofDay);
      expect(sumBy(credits.modelsByDay, ({ values }) => values[index] ?? 0)).toBe(ofDay);
    });
  });
  fc.assert(property, { numRuns: 200 });
});

test("six models have a series each, and all others share one", () => {
  const rows = Array.from({ length: 9 }, (_, index) =>
    creditsRow(days[index % 3] ?? "", `model-${index}`, 100 - index),
  );
  const names = summarizeCredits(rows, days).modelsByDay.map(({ name, total }) => `${name} ${total}`);
  expect(names.slice(0, 2)).toEqual(["model-0 100", "model-1 99"]);
  expect(names).toHaveLength(7);
  expect(names.at(-1)).toEqual(`${otherModels} ${94 + 93 + 92}`);
});

test("every number of activity is the sum of the rows", () => {
  const property = fc.property(activityRows, (rows) => {
    const activity = summarizeActivity(rows, days);
    expect(activity.activeUsers.total).toBe(sumBy(rows, (row) => row.daily_active_users));
    expect(activity.sessions.total).toBe(sumBy(rows, (row) => row.sessions));
    expect(activity.messages.total).toBe(sumBy(rows, (row) => row.messages));
    expect(activity.userMessages.total).toBe(sumBy(rows, (row) => row.user_messages));
    for (const client of ["web", "terminal-ui"]) {
      const series = activity.byClient.find(({ name }) => name === client);
      expect(series?.total ?? 0).toBe(sumBy(rows, (row) => row.daily_active_users_by_client[client] ?? 0));
    }
    const all = sumBy(rows, (row) => sumBy(Object.values(row.daily_active_users_by_client), (count) => count));
    expect(sumBy(activity.byClient, ({ total }) => total)).toBe(all);
  });
  fc.assert(property, { numRuns: 200 });
});

test("the monthly users are those of the last day, wherever its row is", () => {
  const others = { daily_active_users: 1, weekly_active_users: 1, sessions: 0, messages: 0, user_messages: 0 };
  const row = (date: string, monthly_active_users: number) => {
    return { date, ...others, monthly_active_users, daily_active_users_by_client: {} };
  };
  const monthly = (rows: readonly ActivityRow[]) => readLast(summarizeActivity(rows, days).monthlyActiveUsers);
  expect(monthly([row("2026-06-03", 7), row("2026-06-01", 5)])).toBe(7);
  expect(monthly([row("2026-06-02", 6), row("2026-06-01", 5)])).toBe(6);
  expect(monthly([])).toBeUndefined();
});

test("every number of productivity is the sum of the rows", () => {
  const property = fc.property(productivityRows, (rows) => {
    const part = summarizeProductivity(rows, days);
    expect(part.commits.total).toBe(sumBy(rows, (row) => row.git_commits));
    expect(part.pullRequests.total).toBe(sumBy(rows, (row) => row.git_prs_created));
    expect(part.filesCreated.total).toBe(sumBy(rows, (row) => row.files_created));
    expect(part.filesEdited.total).toBe(sumBy(rows, (row) => row.files_edited));
    expect(part.languages.total).toBe(sumBy(rows, (row) => sumBy(row.by_language, ({ count }) => count)));
    expect(part.extensions.total).toBe(sumBy(rows, (row) => sumBy(row.by_extension, ({ count }) => count)));
    days.forEach((day, index) => {
      const own = rows.filter(({ date }) => date === day);
      expect(part.commits.values[index]).toBe(own.length === 0 ? null : sumBy(own, (row) => row.git_commits));
    });
  });
  fc.assert(property, { numRuns: 200 });
});

test("every number of tool use is the sum of the rows", () => {
  const property = fc.property(toolRows, (rows) => {
    const use = summarizeToolUse(rows, days);
    expect(use.calls.total).toBe(sumBy(rows, (row) => row.tool_calls));
    expect(use.hookRuns.total).toBe(sumBy(rows, (row) => row.hooks_invocations));
    const inner = (counts: (row: ToolUsageRow) => readonly { count?: number; invocations?: number }[]) =>
      sumBy(rows, (row) => sumBy(counts(row), ({ count = 0, invocations = 0 }) => count + invocations));
    for (const [ranking, total] of [
      [use.tools, inner((row) => row.by_tool)],
      [use.hooks, inner((row) => row.hooks_by_event)],
      [use.mcpServers, inner((row) => row.mcp_by_server)],
      [use.skills, inner((row) => row.skills_by_name)],
      [use.slashCommands, inner((row) => row.slash_commands_by_name)],
    ] as const) {
      expect(ranking.total).toBe(total);
      expect(sumBy(ranking.top, ({ count }) => count) + ranking.rest.count).toBe(total);
    }
  });
  fc.assert(property, { numRuns: 100 });
});

const emptyRow: ToolUsageRow = {
  ...{ date: "2026-06-01", by_tool: [], mcp_by_server: [], skills_by_name: [], slash_commands_by_name: [] },
  ...{ tool_calls: 0, mcp_users_with_mcp: 0, skills_invocations: 0, slash_commands_invocations: 0 },
  ...{ hooks_invocations: 0, hooks_by_event: [], web_users: 0, autonomy_ratio_avg: 0, autonomy_ratio_p50: 0 },
  ...{ autonomy_ratio_p90: 0, tool_calls_per_session_avg: 0, user_turns_per_session_avg: 0 },
  tool_autonomy_level_ratio: { auto_high: 0, auto_medium: 0, auto_low: 0, manual: 0 },
};

test.each([
  ["shares", { auto_high: 0.5, auto_medium: 0.25, auto_low: 0.25, manual: 0 }],
  ["percents", { auto_high: 50, auto_medium: 25, auto_low: 25, manual: 0 }],
  ["counts", { auto_high: 4, auto_medium: 2, auto_low: 2, manual: 0 }],
])("a day's calls are split by autonomy level, given as %s", (_, tool_autonomy_level_ratio) => {
  const { autonomy } = summarizeToolUse([{ ...emptyRow, tool_calls: 8, tool_autonomy_level_ratio }], days);
  const calls = autonomy.map(({ name, total }) => `${name} ${total}`);
  expect(calls).toEqual(["auto-high 4", "auto-medium 2", "auto-low 2", "manual 0"]);
});

test("a day with more calls weighs more in the period's autonomy", () => {
  const level = (auto_high: number) => ({ auto_high, auto_medium: 0, auto_low: 0, manual: 1 - auto_high });
  const rows = [
    { ...emptyRow, tool_calls: 30, tool_autonomy_level_ratio: level(1) },
    { ...emptyRow, date: "2026-06-02", tool_calls: 10, tool_autonomy_level_ratio: level(0) },
  ];
  expect(summarizeToolUse(rows, days).autonomy.map(({ total }) => total)).toEqual([30, 0, 0, 10]);
});

test("parts of replies in place of tools' names count as one, real names in every form for themselves", () => {
  const names = [
    "Read",
    "mcp__tracker__create issue",
    "server/tool:x",
    "<tool_call>Edit",
    'Read","path":"/etc',
    "",
    " ",
  ];
  const by_tool = names.map((tool) => ({ tool, invocations: 1 }));
  expect(summarizeToolUse([{ ...emptyRow, by_tool }], days).tools.top).toEqual([
    { name: "(not a name)", count: 4 },
    ...names.slice(0, 3).map((name) => ({ name, count: 1 })),
  ]);
});

test("MCP servers that differ only in case count as one; hooks with different matchers do not", () => {
  const mcp_by_server = [
    { server: "Tracker", invocations: 3 },
    { server: "tracker", invocations: 2 },
  ];
  const hooks_by_event = [
    { event: "Stop", matcher: "", command: "a", count: 1 },
    { event: "Stop", matcher: "", command: "b", count: 1 },
    { event: "PostToolUse", matcher: "Edit", command: "a", count: 1 },
  ];
  const use = summarizeToolUse([{ ...emptyRow, mcp_by_server, hooks_by_event }], days);
  expect(use.mcpServers.top).toEqual([{ name: "Tracker", count: 5 }]);
  expect(use.hooks.top).toEqual([
    { name: "Stop", count: 2 },
    { name: "PostToolUse (Edit)", count: 1 },
  ]);
});

test("every number is the sum of the rows, in any order", () => {
  const property = fc.property(userRows, (rows) => {
    const people = tallyPeople(rows);
    // All addresses are the same, so users with an address are one person.
    const ids = new Set(rows.map((row) => row.user_id));
    const known = new Set(rows.filter((row) => row.user_email).map((row) => row.user_id)).size;
    expect(people.users).toBe(ids.size - known + Math.min(1, known));
    expect(people.totals).toEqual({
      credits: sumBy(rows, (row) => row.billable_tokens),
      sessions: sumBy(rows, (row) => row.sessions),
      messages: sumBy(rows, (row) => row.messages),
      toolCalls: sumBy(rows, (row) => row.tool_calls),
      commits: sumBy(rows, (row) => row.git_commits),
      pullRequests: sumBy(rows, (row) => row.git_prs_created),
    });
    expect(sumBy(people.top, ({ credits }) => credits)).toBe(people.totals.credits);
    const backwards = tallyPeople(rows.toReversed());
    expect(backwards.top.map(({ credits }) => credits)).toEqual(people.top.map(({ credits }) => credits));
  });
  fc.assert(property, { numRuns: 200 });
});

const row = (changes: Partial<UserRow>): UserRow => ({ ...quietUser, ...changes });

test("a user's model and mode are the ones with most credits, and the name is the e-mail address", () => {
  const { top } = tallyPeople([
    row({ user_id: "u1", billable_tokens: 5, primary_model: "small", delegation_level: "spec" }),
    row({ user_id: "u1", user_email: "a@b.c", billable_tokens: 4, primary_model: "large", delegation_level: "manual" }),
    row({ user_id: "u1", billable_tokens: 4, primary_model: "large", delegation_level: "manual" }),
    row({ user_id: "u2", billable_tokens: 1 }),
  ]);
  const first = { name: "a@b.c", credits: 13, model: "large", mode: "manual" };
  expect(top).toMatchObject([first, { name: "u2", credits: 1 }]);
});

test("a user whose counts are all zero is not active", () => {
  expect(tallyPeople([row({}), row({ user_id: "u2", sessions: 1 })])).toMatchObject({ users: 2, active: 1 });
});

test("the top 25 users are listed", () => {
  const rows = Array.from({ length: 40 }, (_, index) => row({ user_id: `u${index}`, billable_tokens: index }));
  const { top } = tallyPeople(rows);
  expect(top.map(({ name }) => name)).toEqual(Array.from({ length: 25 }, (_, index) => `u${39 - index}`));
});

test("the counts of a ranking add up to its total, greatest first, at any length", () => {
  const counts = fc.array(fc.tuple(fc.string({ maxLength: 3 }), fc.nat(1_000_000)), { maxLength: 120 });
  const property = fc.property(counts, fc.nat(60), (pairs, most) => {
    const ranking = takeTop(buildRanking(pairs), most);
    const shown = ranking.top.map(({ count }) => count);
    expect(ranking.total).toBe(sumBy(pairs, ([, count]) => count));
    expect(sumBy(shown, (count) => count) + ranking.rest.count).toBe(ranking.total);
    expect(shown).toEqual(shown.toSorted((a, b) => b - a));
    expect(ranking.top.length).toBeLessThanOrEqual(most);
  });
  fc.assert(property, { numRuns: 300 });
});

test("names after the fiftieth are counted together, and stay in the rest of a shorter ranking", () => {
  const ranking = buildRanking(Array.from({ length: 70 }, (_, index) => [`tool-${index}`, index + 1]));
  expect(ranking.top).toHaveLength(50);
  expect(ranking.rest).toEqual({ names: 20, count: (20 * 21) / 2 });
  expect(takeTop(ranking, 8).rest).toEqual({ names: 62, count: (62 * 63) / 2 });
});

describe("a shown name", () => {
  test.each([
    ["is one line", "a\n b\u0000", "a b"],
    ["has no bidirectional override", "\u202egpj.exe", "gpj.exe"],
    ["is never empty", " \u202e ", "(no name)"],
    ["of 10 kB is cut", "x".repeat(10_000), `${"x".repeat(79)}…`],
  ])("%s", (_, text, shown) => {
    expect(shownName(text)).toBe(shown);
  });

  test("does not change when it is cleaned again", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => shownName(shownName(text)) === shownName(text)));
  });
});

test.each([
  ["zero", format.numberText(0), "0"],
  ["a fraction", format.numberText(1.256), "1.26"],
  ["less than a hundred", format.numberText(99.5), "99.5"],
  ["more than a hundred", format.numberText(100.4), "100"],
  ["more than a million", format.numberText(1_234_567), "1,234,567"],
  ["a negative number", format.numberText(-1234.5), "-1,235"],
  ["a huge number", format.numberText(1.5e300), "1.50e+300"],
  ["a narrow number", format.shortNumber(87_141_104), "87.1M"],
  ["a share", format.shareText(1, 3), "33.3%"],
  ["a share of nothing", format.shareText(0, 0), "0.0%"],
  ["one", format.countText(1, "days"), "1 day"],
  ["several", format.countText(1200, "days"), "1,200 days"],
  ["a day", format.dayText("2026-06-01"), "1 Jun"],
  ["an average", format.meanText(3000, 2), "1,500"],
  ["an average below 1", format.meanText(3, 7), "0.43"],
  ["an average of nothing", format.meanText(0, 0), "0"],
  ["a period", format.periodText({ startDate: "2026-06-01", endDate: "2026-07-02" }), "1 Jun 2026 to 2 Jul 2026"],
  ["a period of one day", format.periodText({ startDate: "2026-06-01", endDate: "2026-06-01" }), "1 Jun 2026"],
  ["a span of one day", format.spanText("2026-06-01", "2026-06-01"), "1 Jun"],
  ["a span within a month", format.spanText("2026-06-01", "2026-06-07"), "1–7 Jun"],
  ["a span over months", format.spanText("2026-06-29", "2026-07-05"), "29 Jun – 5 Jul"],
  ["a ratio", format.ratioText(3.4), "3.40"],
  ["an amount", format.moneyText(1234.5, "EUR"), "€1,234.50"],
  ["an amount without currency", format.moneyText(1234.5, ""), "1,234.50"],
  ["a small price", format.moneyText(0.00002, "EUR"), "€0.00002"],
  ["a rise", format.changeText(0.123), "+12.3%"],
  ["a fall", format.changeText(-0.04), "−4.0%"],
  ["no change", format.changeText(-0.0004), "±0.0%"],
  ["a great rise", format.changeText(11), "×12"],
  ["days without gaps", format.daysText(30, 30), "30 days, UTC"],
  ["days with gaps", format.daysText(22, 30), "22 of 30 days have data, UTC"],
  ["an instant", format.instantText("2026-06-15T12:04:00.000Z"), "15 Jun 2026, 12:04 UTC"],
])("%s is formatted for people", (_, text, expected) => {
  expect(text).toBe(expected);
});

test.each([
  ["one day", { startDate: "2026-06-01", endDate: "2026-06-01" }, ["2026-06-01"]],
  ["a month's end", { startDate: "2026-02-27", endDate: "2026-03-01" }, ["2026-02-27", "2026-02-28", "2026-03-01"]],
  ["an end before the start", { startDate: "2026-06-02", endDate: "2026-06-01" }, []],
])("the days of %s", (_, period, days) => {
  expect(listDays(period)).toEqual(days);
});

test.each([
  ["thirty days", "2026-06-01 2026-06-30", "2026-05-02 2026-05-31"],
  ["a day", "2026-03-01 2026-03-01", "2026-02-28 2026-02-28"],
  ["the earliest day with a previous one", "2026-01-15 2026-01-15", "2026-01-14 2026-01-14"],
  ["the first day with data", "2026-01-14 2026-01-14", undefined],
])("the period before %s has its length, and begins no earlier than the data", (_, days, expected) => {
  const [startDate = "", endDate = ""] = days.split(" ");
  const previous = previousPeriod({ startDate, endDate });
  expect(previous && `${previous.startDate} ${previous.endDate}`).toBe(expected);
});

test("days become ranges, and ranges the same days", () => {
  const all = listDays({ startDate: "2026-02-25", endDate: "2026-03-10" });
  const property = fc.property(fc.subarray(all), (own) => {
    const ranges = groupRanges(own);
    expect(ranges.flatMap(listDays)).toEqual(own);
    for (const [index, { startDate: endDate }] of ranges.slice(1).entries())
      expect(listDays({ startDate: ranges[index]?.endDate ?? "", endDate }).length).toBeGreaterThan(2);
  });
  fc.assert(property, { numRuns: 100 });
});

test("up to 62 days have a mark each; a longer period has weeks that begin on Monday", () => {
  const days = listDays({ startDate: "2026-04-01", endDate: "2026-06-01" });
  expect(buildSteps(days)).toHaveLength(62);
  const longer = listDays({ startDate: "2026-04-01", endDate: "2026-06-02" });
  const steps = buildSteps(longer);
  expect(steps[0]).toEqual({ start: 0, end: 5, length: 7 }); // a Wednesday
  expect(longer[steps[1]?.start ?? 0]).toBe("2026-04-06");
  expect(steps.at(-1)).toEqual({ start: 61, end: 63, length: 7 });
});

test("the marks cover every day once", () => {
  const property = fc.property(fc.integer({ min: 1, max: 400 }), (count) => {
    const endDate = new Date(Date.UTC(2026, 0, 13 + count)).toISOString().slice(0, 10);
    const days = listDays({ startDate: "2026-01-14", endDate });
    const marked = buildSteps(days).flatMap(({ start, end }) => days.slice(start, end));
    expect(marked).toEqual(days);
    expect(days).toHaveLength(count);
  });
  fc.assert(property, { numRuns: 100 });
});

test("a period's slices cover each day once and are equally long except the last", () => {
  const property = fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 40 }), (count, length) => {
    const endDate = new Date(Date.parse("2026-02-01") + (count - 1) * 86_400_000).toISOString().slice(0, 10);
    const period = { startDate: "2026-02-01", endDate };
    const slices = splitPeriod(period, length).map(listDays);
    expect(slices.flat()).toEqual(listDays(period));
    expect(slices.slice(0, -1).every((days) => days.length === length)).toBe(true);
    expect(slices.at(-1)?.length).toBeLessThanOrEqual(length);
  });
  fc.assert(property);
});
