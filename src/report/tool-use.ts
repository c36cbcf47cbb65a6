import type { AutonomyLevelRatio, ToolUsageRow } from "../service/schemas/tool-usage-row.ts";
import { type Ranking, rankingOf } from "./ranking.ts";
import { type Series, seriesOf, sum } from "./series.ts";

/** What the agents used, and how much they were left to themselves. */
export interface ToolUse {
  readonly calls: Series;
  readonly tools: Ranking;
  readonly hookRuns: number;
  /** By event and matcher. */
  readonly hooks: Ranking;
  /** Names that differ in letter case alone count as one: the service has some servers twice. */
  readonly mcpServers: Ranking;
  readonly skills: Ranking;
  readonly slashCommands: Ranking;
  /** Tool calls by autonomy level, from most to least of it: each day's calls, split as its distribution says. */
  readonly autonomy: readonly Series[];
}

const levels = ["auto_high", "auto_medium", "auto_low", "manual"] as const satisfies (keyof AutonomyLevelRatio)[];

/** Adds up `/tools`: rows of these days. */
export function toolUseOf(rows: readonly ToolUsageRow[], days: readonly string[]): ToolUse {
  const ranking = (pairs: (row: ToolUsageRow) => [string, number][], keyOf?: (name: string) => string) =>
    rankingOf(rows.flatMap(pairs), keyOf);
  return {
    calls: seriesOf("tool calls", rows, days, (row) => row.tool_calls),
    tools: ranking((row) => row.by_tool.map(({ tool, invocations }) => [tool, invocations])),
    hookRuns: sum(rows.map((row) => row.hooks_invocations)),
    hooks: ranking((row) => row.hooks_by_event.map(({ event, matcher, count }) => [hookName(event, matcher), count])),
    mcpServers: ranking(
      (row) => row.mcp_by_server.map(({ server, invocations }) => [server, invocations]),
      (name) => name.toLowerCase(),
    ),
    skills: ranking((row) => row.skills_by_name.map(({ name, count }) => [name, count])),
    slashCommands: ranking((row) => row.slash_commands_by_name.map(({ name, count }) => [name, count])),
    autonomy: levels.map((level) =>
      seriesOf(level.replace("_", "-"), rows, days, (row) => row.tool_calls * shareOf(row, level)),
    ),
  };
}

function hookName(event: string, matcher: string): string {
  return matcher === "" ? event : `${event} (${matcher})`;
}

/** The document does not say whether the distribution is of shares, percents or counts; divided by its sum it is each. */
function shareOf({ tool_autonomy_level_ratio: ratio }: ToolUsageRow, level: keyof AutonomyLevelRatio): number {
  const whole = sum(levels.map((one) => ratio[one]));
  return whole > 0 ? ratio[level] / whole : 0;
}
