import type {
  ActivityRow,
  AutonomyLevelRatio,
  CreditsRow,
  ProductivityRow,
  ToolUsageRow,
} from "../service/schemas/analytics.ts";
import { buildRanking, type Ranking, shownName, takeTop } from "./ranking.ts";
import { buildSeries, type Series, sum } from "./series.ts";

/** Maximum number of models with a series of their own. */
const maxModels = 6;
/** Name of the series for all other models. */
export const otherModels = "other models";

/** Row of `/tokens` without its breakdown by user, which is large and not used here. */
export type CreditsDay = Omit<CreditsRow, "by_user">;

/** Adds up Standard Credits and tokens over the given days, from rows of `/tokens`. */
export function summarizeCredits(rows: readonly CreditsDay[], days: readonly string[]) {
  const series = (name: string, measure: (row: CreditsDay) => number) => buildSeries(name, rows, days, measure);
  const models = rows.flatMap((row) => row.by_model);
  const byDay = series("credits", (row) => row.billable_tokens);
  const byModel = buildRanking(models.map((model) => [model.model_id, model.billable_tokens]));
  return {
    total: byDay.total,
    byDay,
    inputTokens: series("input", (row) => row.input_tokens),
    outputTokens: series("output", (row) => row.output_tokens),
    cacheReadTokens: series("cache read", (row) => row.cache_read_tokens),
    cacheWriteTokens: series("cache write", (row) => row.cache_write_tokens),
    byModel,
    /** Credits by tier of the model. */
    byTier: buildRanking(models.map((model) => [model.model_tier, model.billable_tokens])),
    /** Daily credits of the most used models, most used first. The last series sums up all other models. */
    modelsByDay: modelsByDay(rows, days, byModel),
  };
}

function modelsByDay(rows: readonly CreditsDay[], days: readonly string[], byModel: Ranking): Series[] {
  const { top, rest } = takeTop(byModel, maxModels);
  const topNames = new Set(top.map(({ name }) => name));
  const creditsWhere = (isPart: (name: string) => boolean) => (row: CreditsDay) =>
    sum(row.by_model.map((model) => (isPart(shownName(model.model_id)) ? model.billable_tokens : 0)));
  const series = (name: string, isPart: (name: string) => boolean) =>
    buildSeries(name, rows, days, creditsWhere(isPart));
  const models = top.map(({ name }) => series(name, (other) => other === name));
  return rest.names === 0 ? models : [...models, series(otherModels, (name) => !topNames.has(name))];
}

/** Maximum number of client types with a series of their own. The API document names three client types. */
const maxClients = 7;

/**
 * Adds up active users, sessions and messages over the given days, from rows of `/activity`. The sum of active users
 * counts a user once for each day.
 */
export function summarizeActivity(rows: readonly ActivityRow[], days: readonly string[]) {
  const series = (name: string, measure: (row: ActivityRow) => number) => buildSeries(name, rows, days, measure);
  const listClients = (row: ActivityRow) => Object.entries(row.daily_active_users_by_client);
  const countUsers = (row: ActivityRow, client: string): number =>
    sum(listClients(row).map(([name, users]) => (shownName(name) === client ? users : 0)));
  const clients = buildRanking(rows.flatMap(listClients)).top.slice(0, maxClients);
  return {
    /** Users active on each day. */
    activeUsers: series("active users", (row) => row.daily_active_users),
    /** Users active in the 7 days that end with each day. */
    weeklyActiveUsers: series("active in 7 days", (row) => row.weekly_active_users),
    /** Users active in the 30 days that end with each day. */
    monthlyActiveUsers: series("active in 30 days", (row) => row.monthly_active_users),
    /** Active users of each client type, the most used type first. A user of several types counts in each of them. */
    byClient: clients.map(({ name }) => series(name, (row) => countUsers(row, name))),
    sessions: series("sessions", (row) => row.sessions),
    messages: series("messages", (row) => row.messages),
    userMessages: series("messages by users", (row) => row.user_messages),
  };
}

/** Adds up commits, pull requests and files over the given days, from rows of `/productivity`. */
export function summarizeProductivity(rows: readonly ProductivityRow[], days: readonly string[]) {
  const series = (name: string, measure: (row: ProductivityRow) => number) => buildSeries(name, rows, days, measure);
  return {
    commits: series("commits", (row) => row.git_commits),
    pullRequests: series("pull requests", (row) => row.git_prs_created),
    filesCreated: series("files created", (row) => row.files_created),
    filesEdited: series("files edited", (row) => row.files_edited),
    /** Number of files by language. */
    languages: buildRanking(rows.flatMap((row) => row.by_language.map(({ language, count }) => [language, count]))),
    /** Number of files by extension. */
    extensions: buildRanking(rows.flatMap((row) => row.by_extension.map(({ extension, count }) => [extension, count]))),
  };
}

const levels = ["auto_high", "auto_medium", "auto_low", "manual"] as const satisfies (keyof AutonomyLevelRatio)[];

/**
 * Adds up the use of tools, hooks, MCP servers, skills and slash commands, and the agents' autonomy, over the given
 * days, from rows of `/tools`.
 */
export function summarizeToolUse(rows: readonly ToolUsageRow[], days: readonly string[]) {
  const series = (name: string, measure: (row: ToolUsageRow) => number) => buildSeries(name, rows, days, measure);
  // On a day without tool calls these ratios are 0, which says nothing about autonomy.
  const withCalls = rows.filter((row) => row.tool_calls > 0);
  const ratio = (name: string, measure: (row: ToolUsageRow) => number) => buildSeries(name, withCalls, days, measure);
  const ranking = (pairs: (row: ToolUsageRow) => [string, number][], toKey?: (name: string) => string) =>
    buildRanking(rows.flatMap(pairs), toKey);
  return {
    calls: series("tool calls", (row) => row.tool_calls),
    tools: ranking((row) => row.by_tool.map(({ tool, invocations }) => [nameTool(tool), invocations])),
    hookRuns: series("hook runs", (row) => row.hooks_invocations),
    mcpUsers: series("MCP users", (row) => row.mcp_users_with_mcp),
    webUsers: series("web users", (row) => row.web_users),
    /** Mean number of tool calls per user message on each day; null on a day without tool calls. */
    autonomyAvg: ratio("average", (row) => row.autonomy_ratio_avg),
    /** Median of the tool calls per user message on each day; null on a day without tool calls. */
    autonomyP50: ratio("median", (row) => row.autonomy_ratio_p50),
    /** 90th percentile of the tool calls per user message on each day; null on a day without tool calls. */
    autonomyP90: ratio("90th percentile", (row) => row.autonomy_ratio_p90),
    callsPerSession: ratio("tool calls per session", (row) => row.tool_calls_per_session_avg),
    turnsPerSession: ratio("user messages per session", (row) => row.user_turns_per_session_avg),
    /** Runs of hooks by event and matcher. */
    hooks: ranking((row) =>
      row.hooks_by_event.map(({ event, matcher, count }) => [matcher ? `${event} (${matcher})` : event, count]),
    ),
    /**
     * Calls by MCP server. Names that differ only in case count as one, because the service lists some servers twice.
     */
    mcpServers: ranking(
      (row) => row.mcp_by_server.map(({ server, invocations }) => [server, invocations]),
      (name) => name.toLowerCase(),
    ),
    skills: ranking((row) => row.skills_by_name.map(({ name, count }) => [name, count])),
    slashCommands: ranking((row) => row.slash_commands_by_name.map(({ name, count }) => [name, count])),
    /**
     * Daily tool calls by autonomy level, highest level first. Each day's calls are split by the levels' shares on that
     * day.
     */
    autonomy: levels.map((level) =>
      series(level.replace("_", "-"), (row) => row.tool_calls * computeShare(row, level)),
    ),
  };
}

/** Returns the name under which a tool counts: a few entries have parts of a model's reply in place of a name. */
function nameTool(tool: string): string {
  return /^[^<>"{}[\]\n]*[^<>"{}[\]\s]$/.test(tool) ? tool : "(not a name)";
}

/**
 * Computes an autonomy level's share, from 0 to 1. The API document does not say if the values are shares, percent or
 * counts, so each is divided by the sum.
 */
function computeShare({ tool_autonomy_level_ratio: ratio }: ToolUsageRow, level: keyof AutonomyLevelRatio): number {
  const total = sum(levels.map((levelName) => ratio[levelName]));
  return total > 0 ? ratio[level] / total : 0;
}
