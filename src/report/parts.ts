import type {
  ActivityRow,
  AutonomyLevelRatio,
  CreditsByModelRow,
  ProductivityRow,
  ToolUsageRow,
} from "../service/schemas/analytics.ts";
import { headOf, type Ranking, rankingOf, shownName } from "./ranking.ts";
import { type Series, seriesOf, sum } from "./series.ts";

/** Most models with a series of their own. */
const maxModels = 6;
/** Name of the series for all other models. */
export const otherModels = "other models";

/** Standard Credits and tokens: rows of `/tokens?group_by=model`, added up over the given days. */
export function creditsOf(rows: readonly CreditsByModelRow[], days: readonly string[]) {
  const total = (name: string, measure: (row: CreditsByModelRow) => number) => seriesOf(name, rows, days, measure);
  const byDay = total("credits", (row) => row.billable_tokens);
  const byModel = rankingOf(rows.map((row) => [row.group_key, row.billable_tokens]));
  return {
    total: byDay.total,
    inputTokens: total("input", (row) => row.input_tokens).total,
    outputTokens: total("output", (row) => row.output_tokens).total,
    byDay,
    byModel,
    /** One series for each of the most used models, most used first, and if there are more, a last one for all others. */
    modelsByDay: modelsByDay(rows, days, byModel),
  };
}

function modelsByDay(rows: readonly CreditsByModelRow[], days: readonly string[], byModel: Ranking): Series[] {
  const { top, rest } = headOf(byModel, maxModels);
  const rowsByModel = new Map(top.map(({ name }): [string, CreditsByModelRow[]] => [name, []]));
  const otherRows: CreditsByModelRow[] = [];
  for (const row of rows) (rowsByModel.get(shownName(row.group_key)) ?? otherRows).push(row);
  const models = rest.names === 0 ? [...rowsByModel] : [...rowsByModel, [otherModels, otherRows] as const];
  return models.map(([name, part]) => seriesOf(name, part, days, (row) => row.billable_tokens));
}

/** Most client types that are told apart. The API document names three. */
const maxClients = 7;

/**
 * Active users, sessions and messages: rows of `/activity`, added up over the given days. Summed over days, active users
 * count a user once for every day.
 */
export function activityOf(rows: readonly ActivityRow[], days: readonly string[]) {
  const series = (name: string, measure: (row: ActivityRow) => number) => seriesOf(name, rows, days, measure);
  const clientsOf = (row: ActivityRow) => Object.entries(row.daily_active_users_by_client);
  const usersOf = (row: ActivityRow, client: string): number =>
    sum(clientsOf(row).map(([name, users]) => (shownName(name) === client ? users : 0)));
  const clients = rankingOf(rows.flatMap(clientsOf)).top.slice(0, maxClients);
  const last = rows.reduce<ActivityRow | undefined>((a, b) => (a !== undefined && a.date > b.date ? a : b), undefined);
  return {
    activeUsers: series("active users", (row) => row.daily_active_users),
    /** By client type, most used first. A user of several clients counts in each of them. */
    byClient: clients.map(({ name }) => series(name, (row) => usersOf(row, name))),
    /** Users active in the 30 days up to the last day that has a row. */
    monthlyActiveUsers: last?.monthly_active_users ?? 0,
    sessions: series("sessions", (row) => row.sessions),
    messages: series("messages", (row) => row.messages).total,
    userMessages: series("user messages", (row) => row.user_messages).total,
  };
}

/** Commits, pull requests and files: rows of `/productivity`, added up over the given days. */
export function productivityOf(rows: readonly ProductivityRow[], days: readonly string[]) {
  const series = (name: string, measure: (row: ProductivityRow) => number) => seriesOf(name, rows, days, measure);
  return {
    commits: series("commits", (row) => row.git_commits),
    pullRequests: series("pull requests", (row) => row.git_prs_created),
    filesCreated: series("files created", (row) => row.files_created).total,
    filesEdited: series("files edited", (row) => row.files_edited).total,
    /** Number of files by language. */
    languages: rankingOf(rows.flatMap((row) => row.by_language.map(({ language, count }) => [language, count]))),
  };
}

const levels = ["auto_high", "auto_medium", "auto_low", "manual"] as const satisfies (keyof AutonomyLevelRatio)[];

/**
 * Use of tools, hooks, MCP servers, skills and slash commands, and how autonomously the agents worked: rows of `/tools`,
 * added up over the given days.
 */
export function toolUseOf(rows: readonly ToolUsageRow[], days: readonly string[]) {
  const ranking = (pairs: (row: ToolUsageRow) => [string, number][], keyOf?: (name: string) => string) =>
    rankingOf(rows.flatMap(pairs), keyOf);
  return {
    calls: seriesOf("tool calls", rows, days, (row) => row.tool_calls),
    tools: ranking((row) => row.by_tool.map(({ tool, invocations }) => [tool, invocations])),
    hookRuns: sum(rows.map((row) => row.hooks_invocations)),
    /** Runs by event and matcher. */
    hooks: ranking((row) => row.hooks_by_event.map(({ event, matcher, count }) => [hookName(event, matcher), count])),
    /** Names that differ only in case count as one: the service lists some servers twice. */
    mcpServers: ranking(
      (row) => row.mcp_by_server.map(({ server, invocations }) => [server, invocations]),
      (name) => name.toLowerCase(),
    ),
    skills: ranking((row) => row.skills_by_name.map(({ name, count }) => [name, count])),
    slashCommands: ranking((row) => row.slash_commands_by_name.map(({ name, count }) => [name, count])),
    /** Tool calls by autonomy level, from most to least autonomy: each day's calls, split by its distribution. */
    autonomy: levels.map((level) =>
      seriesOf(level.replace("_", "-"), rows, days, (row) => row.tool_calls * shareOf(row, level)),
    ),
  };
}

function hookName(event: string, matcher: string): string {
  return matcher === "" ? event : `${event} (${matcher})`;
}

/** A level's share, 0 to 1. The API document does not say whether the values are shares, percent or counts: the sum is 1 here. */
function shareOf({ tool_autonomy_level_ratio: ratio }: ToolUsageRow, level: keyof AutonomyLevelRatio): number {
  const whole = sum(levels.map((one) => ratio[one]));
  return whole > 0 ? ratio[level] / whole : 0;
}
