import type { PartName, PeriodUsage, ReportParts, UsageReport } from "./report.ts";
import { computeMean, divideSeries, readLast, readTotal, sum } from "./series.ts";

type Fields = Omit<FigureDefinition, "group" | "kind" | "format">;
type Format = FigureDefinition["format"];

const total = (group: FigureGroup, fields: Fields) => ({ group, kind: "sum", format: "count", ...fields }) as const;
const rate = (group: FigureGroup, format: Format, fields: Fields) =>
  ({ group, kind: "rate", format, ...fields }) as const;
const perUser = (format: Format, fields: Fields) => ({ group: "units", kind: "distinct", format, ...fields }) as const;

const credits = ({ credits: part }: PeriodUsage) => part && readTotal(part.byDay);
const commonDays = "Only days for which the service has both are counted.";

const tokenSums = (
  [
    ["input_tokens", "Input", "Raw tokens sent to models.", "inputTokens"],
    ["output_tokens", "Output", "Tokens that models generated.", "outputTokens"],
    ["cache_read_tokens", "Cache read", "Tokens read from the prompt cache.", "cacheReadTokens"],
    ["cache_write_tokens", "Cache written", "Tokens written to the prompt cache.", "cacheWriteTokens"],
  ] as const
).map(([id, title, definition, series]) =>
  total("tokens", {
    id,
    title,
    definition,
    parts: ["credits"],
    compute: (usage) => usage.credits && readTotal(usage.credits[series]),
  }),
);

const autonomyMeans = (
  [
    ["autonomy_p50", "Tool calls per prompt: median", "Tool calls per message of a user: the median", "autonomyP50"],
    [
      "autonomy_p90",
      "Tool calls per prompt: p90",
      "Tool calls per message of a user: the 90th percentile",
      "autonomyP90",
    ],
  ] as const
).map(([id, title, what, series]) =>
  rate("autonomy", "ratio", {
    id,
    title,
    definition: `${what} of each day with tool calls, averaged over the days.`,
    parts: ["toolUse"],
    compute: ({ toolUse }) => toolUse && computeMean(toolUse[series]),
  }),
);

const units = [
  ["active user", `Credits divided by the active users. ${commonDays}`, ["credits", "people"], creditsPerUser],
  ["session", `Credits divided by the sessions. ${commonDays}`, ["credits", "activity"], creditsPerSession],
  [
    "pull request",
    `All credits divided by the pull requests. ${commonDays}`,
    ["credits", "productivity"],
    creditsPerPullRequest,
  ],
] as const;

/** Defines the figures for credits, or their cost, per unit of work. */
const unitFigures = (prefix: string, format: Format, what: string) =>
  units.map(([unit, definition, parts, compute]) => ({
    group: "units" as const,
    kind: unit === "active user" ? ("distinct" as const) : ("rate" as const),
    format,
    id: `${prefix}_per_${unit.replace(" ", "_")}`,
    title: `${what} per ${unit}`,
    definition: format === "money" ? `Credits per ${unit}, at the given price.` : definition,
    parts,
    compute,
  }));

/**
 * Defines a figure for tool calls per message or session. It divides sums, because a mean of daily means would count
 * quiet days as much as busy ones.
 */
const callsPer = (id: string, title: string, unit: string, divisor: "userMessages" | "sessions") =>
  rate("autonomy", "ratio", {
    id,
    title,
    definition: `Tool calls divided by ${unit}. ${commonDays}`,
    parts: ["toolUse", "activity"],
    compute: ({ toolUse, activity }) => toolUse && activity && divideSeries(toolUse.calls, activity[divisor]),
  });

/** All figures of a report, in reading order. */
export const figureTable: readonly FigureDefinition[] = [
  total("key", {
    id: "credits",
    title: "Credits",
    definition: "Standard Credits of all models.",
    parts: ["credits"],
    compute: credits,
  }),
  {
    id: "cost",
    title: "Cost",
    group: "key",
    definition: "Credits times the price given for this report.",
    parts: ["credits"],
    format: "money",
    kind: "sum",
    compute: credits,
  },
  {
    id: "active_users",
    title: "Active users",
    group: "key",
    definition: "Users with a session, message, tool call, commit, pull request or credit in the period.",
    parts: ["people"],
    format: "count",
    kind: "distinct",
    compute: ({ people }) => people?.active,
  },
  total("key", {
    id: "sessions",
    title: "Sessions",
    definition: "Sessions that were started.",
    parts: ["activity"],
    compute: ({ activity }) => activity && readTotal(activity.sessions),
  }),
  total("key", {
    id: "tool_calls",
    title: "Tool calls",
    definition: "Calls of tools by agents.",
    parts: ["toolUse"],
    compute: ({ toolUse }) => toolUse && readTotal(toolUse.calls),
  }),
  total("key", {
    id: "commits",
    title: "Commits",
    definition: "Commits made by agents.",
    parts: ["productivity"],
    compute: ({ productivity }) => productivity && readTotal(productivity.commits),
  }),
  total("key", {
    id: "pull_requests",
    title: "Pull requests",
    definition: "Pull requests opened by agents.",
    parts: ["productivity"],
    compute: ({ productivity }) => productivity && readTotal(productivity.pullRequests),
  }),
  ...tokenSums,
  rate("tokens", "share", {
    id: "cache_share",
    title: "Cache share",
    definition:
      "Tokens read from the prompt cache, as a share of the input tokens; of both together if a day has more tokens read than input.",
    parts: ["credits"],
    compute: ({ credits: part }, report) => part && computeCacheShare(part, report),
  }),
  rate("adoption", "share", {
    id: "active_share",
    title: "Active share of users",
    definition: "Share of all current users who were active on the days with data.",
    parts: ["people", "seats"],
    compute: ({ seats }) => divide(seats?.idle === undefined ? undefined : seats.users - seats.idle, seats?.users),
  }),
  rate("adoption", "count", {
    id: "idle_seats",
    title: "Idle seats",
    definition: "Current users of the organization who were not active on the days with data.",
    parts: ["people", "seats"],
    compute: ({ seats }) => seats?.idle,
  }),
  rate("adoption", "count", {
    id: "daily_active_users",
    title: "Daily active users",
    definition: "Average of the daily active users.",
    parts: ["activity"],
    compute: ({ activity }) => activity && computeMean(activity.activeUsers),
  }),
  rate("adoption", "count", {
    id: "weekly_active_users",
    title: "Active in the last 7 days",
    definition: "Users active in the last 7 days with data.",
    parts: ["activity"],
    compute: ({ activity }) => activity && readLast(activity.weeklyActiveUsers),
  }),
  rate("adoption", "count", {
    id: "monthly_active_users",
    title: "Active in the last 30 days",
    definition: "Users active in the last 30 days with data.",
    parts: ["activity"],
    compute: ({ activity }) => activity && readLast(activity.monthlyActiveUsers),
  }),
  rate("adoption", "count", {
    id: "mcp_users",
    title: "Used MCP (daily average)",
    definition: "Average of the daily users of MCP servers.",
    parts: ["toolUse"],
    compute: ({ toolUse }) => toolUse && computeMean(toolUse.mcpUsers),
  }),
  rate("adoption", "count", {
    id: "web_users",
    title: "Used the web (daily average)",
    definition: "Average of the daily users of the web interface.",
    parts: ["toolUse"],
    compute: ({ toolUse }) => toolUse && computeMean(toolUse.webUsers),
  }),
  ...unitFigures("credits", "count", "Credits"),
  ...unitFigures("cost", "money", "Cost"),
  perUser("count", {
    id: "credits_median",
    title: "Median credits of a user",
    definition: "Half of the active users used more, half less.",
    parts: ["people"],
    compute: ({ people }) => people?.spread?.median,
  }),
  perUser("share", {
    id: "top_tenth_share",
    title: "Share of the top tenth",
    definition: "Share of all credits that the tenth of the active users with the most credits used.",
    parts: ["people"],
    compute: ({ people }) => people?.spread?.topTenthShare,
  }),
  callsPer("autonomy_avg", "Tool calls per prompt: mean", "messages of users", "userMessages"),
  ...autonomyMeans,
  callsPer("tool_calls_per_session", "Tool calls per session", "sessions", "sessions"),
  rate("autonomy", "ratio", {
    id: "prompts_per_session",
    title: "Prompts per session",
    definition: "Messages of users divided by sessions.",
    parts: ["activity"],
    compute: ({ activity }) => activity && divideSeries(activity.userMessages, activity.sessions),
  }),
];

/** Groups of figures, in reading order; the first group has the key figures. */
export const figureGroups = {
  key: "Key figures",
  tokens: "Tokens",
  adoption: "Adoption",
  units: "Efficiency",
  autonomy: "Autonomy",
} as const;

export type FigureGroup = keyof typeof figureGroups;

/** Definition of a figure and its computation from the parts of a period. */
export interface FigureDefinition {
  /** Name in CSV and JSON. */
  readonly id: string;
  readonly title: string;
  readonly group: FigureGroup;
  /** Explanation for the reader. */
  readonly definition: string;
  /** Parts that the figure is computed from. Data missing in a part is missing in the figure. */
  readonly parts: readonly [PartName, ...PartName[]];
  /**
   * Number format. A `money` figure is computed in credits and multiplied by their price. Without a price, the figure
   * is left out.
   */
  readonly format: "count" | "share" | "ratio" | "money";
  /**
   * Rule for comparing two periods. A `sum` is compared by its daily mean if the numbers of days differ. `distinct` is a
   * count of users, or a number per user: it grows with the days, but not evenly, so only complete periods are compared.
   * A `rate` does not depend on the days, and is always compared directly.
   */
  readonly kind: "sum" | "distinct" | "rate";
  /**
   * Computes the value for the report's period or the previous period; undefined if there is nothing to count or to
   * divide by.
   */
  readonly compute: (usage: PeriodUsage, report: UsageReport) => number | undefined;
}

/** Divides credits by active users, both counted only on the days for which both are known. */
function creditsPerUser({ credits, people }: PeriodUsage): number | undefined {
  if (credits === undefined || people === undefined) return undefined;
  const values = credits.byDay.values.map((value, index) => (people.byDay.credits[index] === null ? null : value));
  return divide(sum(values), people.activeWithCredits);
}

/** Divides credits by sessions. */
function creditsPerSession({ credits, activity }: PeriodUsage): number | undefined {
  return credits && activity && divideSeries(credits.byDay, activity.sessions);
}

/** Divides credits by pull requests. */
function creditsPerPullRequest({ credits, productivity }: PeriodUsage): number | undefined {
  return credits && productivity && divideSeries(credits.byDay, productivity.pullRequests);
}

type Credits = ReportParts["credits"];

/**
 * Divides the tokens read from the cache by the input tokens. The API document does not say if input tokens include
 * cache reads. They do not if more tokens were read than input on any day of either period. In that case, the cache
 * reads are added to the input tokens.
 */
function computeCacheShare({ cacheReadTokens, inputTokens }: Credits, report: UsageReport): number | undefined {
  const isBeside = [report, report.previous].some((usage) => usage?.credits && readsExceedInput(usage.credits));
  const values = inputTokens.values.map((input, index) => {
    const read = cacheReadTokens.values[index] ?? null;
    return isBeside && input !== null && read !== null ? input + read : input;
  });
  return divideSeries(cacheReadTokens, { ...inputTokens, values });
}

function readsExceedInput({ cacheReadTokens, inputTokens }: Credits): boolean {
  return inputTokens.values.some((input, index) => input !== null && (cacheReadTokens.values[index] ?? 0) > input);
}

/** Divides two numbers; undefined if a number is missing or the divisor is 0. */
function divide(dividend: number | undefined, divisor: number | undefined): number | undefined {
  return dividend === undefined || !divisor ? undefined : dividend / divisor;
}
