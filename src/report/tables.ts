import { computeFigures } from "./figures.ts";
import { findGaps } from "./gaps.ts";
import type { UserCounts } from "./people.ts";
import type { Ranking } from "./ranking.ts";
import { type PartName, partTitles, type UsageReport } from "./report.ts";
import { computeCost } from "./section.ts";
import { buildSections } from "./sections.ts";
import type { Series } from "./series.ts";

/** Cell of a table; undefined and null are empty. */
type Cell = string | number | null | undefined;

/** Numbers of a report as a table, for a program or a spreadsheet. */
export interface ReportTable {
  /** File name without extension. */
  readonly name: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** Converts a whole report to tables. A missing value is an empty cell, never 0. */
export function buildTables(report: UsageReport): ReportTable[] {
  return [
    figuresTable(report),
    coverageTable(report),
    daysTable(report),
    rankingsTable(report),
    ...peopleTables(report),
    ...movementTables(report),
    ...sectionTables(report),
  ];
}

function movementTables({ movement }: UsageReport): ReportTable[] {
  if (movement === undefined) return [];
  const { newUsers, returningUsers, lostUsers } = movement;
  return [{ name: "user-changes", head: ["new", "returning", "lost"], rows: [[newUsers, returningUsers, lostUsers]] }];
}

function sectionTables(report: UsageReport): ReportTable[] {
  return buildSections(report).flatMap(({ id, columns, rows }) =>
    columns.length === 0 ? [] : [{ name: id, head: columns.map((column) => column.id), rows }],
  );
}

function figuresTable(report: UsageReport): ReportTable {
  const rows = computeFigures(report).map((figure) => {
    const { id, value, previous, change, basis, gap, definition } = figure;
    return [id, value, previous, change, basis, gap, definition];
  });
  return { name: "figures", head: ["figure", "value", "previous", "change", "basis", "missing", "definition"], rows };
}

/** Makes the table of coverage, with a row for each requested part of either period. */
function coverageTable(report: UsageReport): ReportTable {
  const gaps = findGaps(report);
  const periods = [report, ...(report.previous ? [report.previous] : [])];
  const rows = periods.flatMap(({ period, days, coverage }, index) =>
    (Object.keys(partTitles) as PartName[]).flatMap((part) => {
      const partCoverage = coverage[part];
      if (partCoverage === undefined) return [];
      const texts = gaps.filter((gap) => gap.part === part && gap.isBefore === index > 0).map(({ text }) => text);
      const presentDays = partCoverage.failure ? 0 : days.length - partCoverage.absentDays.length;
      const { isComplete, brokenRows, strayRows, repeatedRows } = partCoverage;
      const present = [days.length, presentDays, isComplete ? "yes" : "no"];
      const counts = [brokenRows, strayRows, repeatedRows];
      return [[part, period.startDate, period.endDate, ...present, ...counts, texts.join("; ")]];
    }),
  );
  const counts = ["unreadable_rows", "stray_rows", "repeated_rows"];
  const head = ["part", "from", "to", "days", "days_with_data", "complete", ...counts, "missing"];
  return { name: "coverage", head, rows };
}

function daysTable(report: UsageReport): ReportTable {
  const columns = collectSeries(report);
  const rows = report.days.map((day, index) => [day, ...columns.map(([, series]) => series.values[index])]);
  return { name: "days", head: ["day", ...columns.map(([title]) => title)], rows };
}

function collectSeries({ credits, activity, toolUse, productivity }: UsageReport): (readonly [string, Series])[] {
  return [
    ...Object.entries({
      credits: credits?.byDay,
      input_tokens: credits?.inputTokens,
      output_tokens: credits?.outputTokens,
      cache_read_tokens: credits?.cacheReadTokens,
      cache_write_tokens: credits?.cacheWriteTokens,
      daily_active_users: activity?.activeUsers,
      weekly_active_users: activity?.weeklyActiveUsers,
      monthly_active_users: activity?.monthlyActiveUsers,
      sessions: activity?.sessions,
      messages: activity?.messages,
      user_messages: activity?.userMessages,
      tool_calls: toolUse?.calls,
      hook_runs: toolUse?.hookRuns,
      mcp_users: toolUse?.mcpUsers,
      web_users: toolUse?.webUsers,
      autonomy_avg: toolUse?.autonomyAvg,
      autonomy_p50: toolUse?.autonomyP50,
      autonomy_p90: toolUse?.autonomyP90,
      commits: productivity?.commits,
      pull_requests: productivity?.pullRequests,
      files_created: productivity?.filesCreated,
      files_edited: productivity?.filesEdited,
    }),
    ...nameSeries("credits", credits?.modelsByDay),
    ...nameSeries("users", activity?.byClient),
    ...nameSeries("tool_calls", toolUse?.autonomy),
  ].flatMap(([title, series]) => (series === undefined ? [] : [[title, series] as const]));
}

/** Labels series with the service's names: `credits model-large`. */
function nameSeries(what: string, all: readonly Series[] = []): [string, Series][] {
  return all.map((series) => [`${what} ${series.name}`, series]);
}

function rankingsTable({ credits, toolUse, productivity }: UsageReport): ReportTable {
  const rankings: Readonly<Record<string, Ranking | undefined>> = {
    credits_by_model: credits?.byModel,
    credits_by_tier: credits?.byTier,
    files_by_language: productivity?.languages,
    files_by_extension: productivity?.extensions,
    tool_calls: toolUse?.tools,
    hook_runs: toolUse?.hooks,
    mcp_calls: toolUse?.mcpServers,
    skill_uses: toolUse?.skills,
    slash_command_uses: toolUse?.slashCommands,
  };
  const rows = Object.entries(rankings).flatMap(([list, ranking]) => {
    if (ranking === undefined) return [];
    const { top, rest } = ranking;
    const others = rest.names === 0 ? [] : [[list, `(${rest.names} others)`, rest.count]];
    return [...top.map(({ name, count }) => [list, name, count]), ...others];
  });
  return { name: "rankings", head: ["list", "name", "count"], rows };
}

const userColumns: Readonly<Record<keyof UserCounts, string>> = {
  credits: "credits",
  sessions: "sessions",
  messages: "messages",
  toolCalls: "tool_calls",
  commits: "commits",
  pullRequests: "pull_requests",
};

function peopleTables(report: UsageReport): ReportTable[] {
  const { people, price, seats } = report;
  const keys = Object.keys(userColumns) as (keyof UserCounts)[];
  const listCells = (counts: UserCounts): Cell[] => [
    ...keys.map((key) => counts[key]),
    ...(price ? [computeCost(counts.credits, price)] : []),
  ];
  const users = people && {
    name: "users",
    head: ["user", ...Object.values(userColumns), ...(price ? ["cost"] : []), "model", "autonomy"],
    rows: [
      ...people.top.map((user) => [user.name, ...listCells(user), user.model, user.mode]),
      ...(people.rest.users === 0 ? [] : [[`(${people.rest.users} others)`, ...listCells(people.rest), "", ""]]),
    ],
  };
  // A file without rows says that no seat is idle.
  const idle = seats?.idleSeats.length === 0 && { name: "idle-seats", head: ["user", "last_sign_in"], rows: [] };
  return [users, idle].filter((table) => table !== undefined && table !== false);
}
