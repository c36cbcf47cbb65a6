import fc from "fast-check";
import { expect, test } from "vitest";
import { toolUseOf } from "../../src/report/tool-use.ts";
import type { ToolUsageRow } from "../../src/service/schemas/tool-usage-row.ts";
import { days, sumOf, toolRows } from "./rows.ts";

test("every number is the sum of the rows", () => {
  fc.assert(
    fc.property(toolRows, (rows) => {
      const use = toolUseOf(rows, days);
      expect(use.calls.total).toBe(sumOf(rows, (row) => row.tool_calls));
      expect(use.hookRuns).toBe(sumOf(rows, (row) => row.hooks_invocations));
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

test("MCP servers that differ in letter case alone count as one, hooks differ by matcher", () => {
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
