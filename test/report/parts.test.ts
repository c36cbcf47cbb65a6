import fc from "fast-check";
import { expect, test } from "vitest";
import { activityOf, creditsOf, otherModels, productivityOf, toolUseOf } from "../../src/report/parts.ts";
import { lastOf } from "../../src/report/series.ts";
import type { ActivityRow, ToolUsageRow } from "../../src/service/schemas/analytics.ts";
import { activityRows, creditsRow, creditsRows, days, productivityRows, sumOf, toolRows } from "./rows.ts";

test("every number of credits is the sum of the rows", () => {
  fc.assert(
    fc.property(creditsRows, (rows) => {
      const credits = creditsOf(rows, days);
      const total = sumOf(rows, (row) => row.billable_tokens);
      expect(credits.total).toBe(total);
      expect(credits.inputTokens.total).toBe(sumOf(rows, (row) => row.input_tokens));
      expect(credits.outputTokens.total).toBe(sumOf(rows, (row) => row.output_tokens));
      expect(credits.cacheReadTokens.total).toBe(sumOf(rows, (row) => row.cache_read_tokens));
      expect(credits.cacheWriteTokens.total).toBe(sumOf(rows, (row) => row.cache_write_tokens));
      expect(credits.byTier.total).toBe(total);
      expect(credits.byModel.total).toBe(total);
      expect(sumOf(credits.byModel.top, ({ count }) => count) + credits.byModel.rest.count).toBe(total);
      expect(sumOf(credits.modelsByDay, (series) => series.total)).toBe(total);
      days.forEach((day, n) => {
        const own = rows.filter(({ date }) => date === day);
        const ofDay = sumOf(own, (row) => row.billable_tokens);
        expect(credits.byDay.values[n]).toBe(own.length === 0 ? null : ofDay);
        expect(sumOf(credits.modelsByDay, ({ values }) => values[n] ?? 0)).toBe(ofDay);
      });
    }),
    { numRuns: 200 },
  );
});

test("six models have a series each, and all others share one", () => {
  const rows = Array.from({ length: 9 }, (_, n) => creditsRow(days[n % 3] ?? "", `model-${n}`, 100 - n));
  const names = creditsOf(rows, days).modelsByDay.map(({ name, total }) => [name, total]);
  expect(names.slice(0, 2)).toEqual([
    ["model-0", 100],
    ["model-1", 99],
  ]);
  expect(names).toHaveLength(7);
  expect(names.at(-1)).toEqual([otherModels, 94 + 93 + 92]);
});

test("every number of activity is the sum of the rows", () => {
  fc.assert(
    fc.property(activityRows, (rows) => {
      const activity = activityOf(rows, days);
      expect(activity.activeUsers.total).toBe(sumOf(rows, (row) => row.daily_active_users));
      expect(activity.sessions.total).toBe(sumOf(rows, (row) => row.sessions));
      expect(activity.messages.total).toBe(sumOf(rows, (row) => row.messages));
      expect(activity.userMessages.total).toBe(sumOf(rows, (row) => row.user_messages));
      for (const client of ["web", "terminal-ui"]) {
        const series = activity.byClient.find(({ name }) => name === client);
        expect(series?.total ?? 0).toBe(sumOf(rows, (row) => row.daily_active_users_by_client[client] ?? 0));
      }
      const all = sumOf(rows, (row) => sumOf(Object.values(row.daily_active_users_by_client), (count) => count));
      expect(sumOf(activity.byClient, ({ total }) => total)).toBe(all);
    }),
    { numRuns: 200 },
  );
});

test("the monthly users are those of the last day, wherever its row is", () => {
  const row = (date: string, monthly: number) => ({
    date,
    daily_active_users: 1,
    weekly_active_users: 1,
    monthly_active_users: monthly,
    daily_active_users_by_client: {},
    sessions: 0,
    messages: 0,
    user_messages: 0,
  });
  const monthly = (rows: readonly ActivityRow[]) => lastOf(activityOf(rows, days).monthlyActiveUsers);
  expect(monthly([row("2026-06-03", 7), row("2026-06-01", 5)])).toBe(7);
  expect(monthly([row("2026-06-02", 6), row("2026-06-01", 5)])).toBe(6);
  expect(monthly([])).toBeUndefined();
});

test("every number of productivity is the sum of the rows", () => {
  fc.assert(
    fc.property(productivityRows, (rows) => {
      const { commits, pullRequests, filesCreated, filesEdited, languages, extensions } = productivityOf(rows, days);
      expect(commits.total).toBe(sumOf(rows, (row) => row.git_commits));
      expect(pullRequests.total).toBe(sumOf(rows, (row) => row.git_prs_created));
      expect(filesCreated.total).toBe(sumOf(rows, (row) => row.files_created));
      expect(filesEdited.total).toBe(sumOf(rows, (row) => row.files_edited));
      expect(languages.total).toBe(sumOf(rows, (row) => sumOf(row.by_language, ({ count }) => count)));
      expect(extensions.total).toBe(sumOf(rows, (row) => sumOf(row.by_extension, ({ count }) => count)));
      days.forEach((day, n) => {
        const own = rows.filter(({ date }) => date === day);
        expect(commits.values[n]).toBe(own.length === 0 ? null : sumOf(own, (row) => row.git_commits));
      });
    }),
    { numRuns: 200 },
  );
});

test("every number of tool use is the sum of the rows", () => {
  fc.assert(
    fc.property(toolRows, (rows) => {
      const use = toolUseOf(rows, days);
      expect(use.calls.total).toBe(sumOf(rows, (row) => row.tool_calls));
      expect(use.hookRuns.total).toBe(sumOf(rows, (row) => row.hooks_invocations));
      const inner = (counts: (row: ToolUsageRow) => readonly { count?: number; invocations?: number }[]) =>
        sumOf(rows, (row) => sumOf(counts(row), ({ count = 0, invocations = 0 }) => count + invocations));
      for (const [ranking, total] of [
        [use.tools, inner((row) => row.by_tool)],
        [use.hooks, inner((row) => row.hooks_by_event)],
        [use.mcpServers, inner((row) => row.mcp_by_server)],
        [use.skills, inner((row) => row.skills_by_name)],
        [use.slashCommands, inner((row) => row.slash_commands_by_name)],
      ] as const) {
        expect(ranking.total).toBe(total);
        expect(sumOf(ranking.top, ({ count }) => count) + ranking.rest.count).toBe(total);
      }
    }),
    { numRuns: 100 },
  );
});

const emptyRow: ToolUsageRow = {
  date: "2026-06-01",
  tool_calls: 0,
  by_tool: [],
  mcp_users_with_mcp: 0,
  mcp_by_server: [],
  skills_invocations: 0,
  skills_by_name: [],
  slash_commands_invocations: 0,
  slash_commands_by_name: [],
  hooks_invocations: 0,
  hooks_by_event: [],
  web_users: 0,
  autonomy_ratio_avg: 0,
  autonomy_ratio_p50: 0,
  autonomy_ratio_p90: 0,
  tool_calls_per_session_avg: 0,
  user_turns_per_session_avg: 0,
  tool_autonomy_level_ratio: { auto_high: 0, auto_medium: 0, auto_low: 0, manual: 0 },
};

test.each([
  ["shares", { auto_high: 0.5, auto_medium: 0.25, auto_low: 0.25, manual: 0 }],
  ["percents", { auto_high: 50, auto_medium: 25, auto_low: 25, manual: 0 }],
  ["counts", { auto_high: 4, auto_medium: 2, auto_low: 2, manual: 0 }],
])("a day's calls are split by autonomy level, given as %s", (_, tool_autonomy_level_ratio) => {
  const { autonomy } = toolUseOf([{ ...emptyRow, tool_calls: 8, tool_autonomy_level_ratio }], days);
  expect(autonomy.map(({ name, total }) => [name, total])).toEqual([
    ["auto-high", 4],
    ["auto-medium", 2],
    ["auto-low", 2],
    ["manual", 0],
  ]);
});

test("a day with more calls weighs more in the autonomy of the period", () => {
  const level = (auto_high: number) => ({ auto_high, auto_medium: 0, auto_low: 0, manual: 1 - auto_high });
  const rows = [
    { ...emptyRow, tool_calls: 30, tool_autonomy_level_ratio: level(1) },
    { ...emptyRow, date: "2026-06-02", tool_calls: 10, tool_autonomy_level_ratio: level(0) },
  ];
  expect(toolUseOf(rows, days).autonomy.map(({ total }) => total)).toEqual([30, 0, 0, 10]);
});

test("MCP servers that differ only in case count as one; hooks with different matchers do not", () => {
  const use = toolUseOf(
    [
      {
        ...emptyRow,
        mcp_by_server: [
          { server: "Tracker", invocations: 3 },
          { server: "tracker", invocations: 2 },
        ],
        hooks_by_event: [
          { event: "Stop", matcher: "", command: "a", count: 1 },
          { event: "Stop", matcher: "", command: "b", count: 1 },
          { event: "PostToolUse", matcher: "Edit", command: "a", count: 1 },
        ],
      },
    ],
    days,
  );
  expect(use.mcpServers.top).toEqual([{ name: "Tracker", count: 5 }]);
  expect(use.hooks.top).toEqual([
    { name: "Stop", count: 2 },
    { name: "PostToolUse (Edit)", count: 1 },
  ]);
});
