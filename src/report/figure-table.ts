import type { PartName, PeriodUsage, ReportParts, UsageReport } from "./report.ts";
import { computeMean, divideSeries, readLast, readTotal, type Series, sum } from "./series.ts";

type Fields = Omit<FigureDefinition, "group" | "kind" | "format">;
type Format = FigureDefinition["format"];

const rate = (group: FigureGroup, format: Format, fields: Fields) =>
  ({ group, kind: "rate", format, ...fields }) as const;
const perUser = (format: Format, fields: Fields) => ({ group: "units", kind: "distinct", format, ...fields }) as const;

const credits = ({ credits: part }: PeriodUsage) => part && readTotal(part.byDay);
const commonDays = "Only days for which the service has both are counted.";

/** Defines figures that are each computed from one series of a part. */
const seriesFigures = <Part extends PartName>(
  part: Part,
  shared: Pick<FigureDefinition, "group" | "kind" | "format">,
  measure: (series: Series) => number | undefined,
  rows: readonly (readonly [
    id: string,
    title: string,
    definition: string,
    read: (part: ReportParts[Part]) => Series,
  ])[],
) =>
  rows.map(([id, title, definition, read]): FigureDefinition => {
    const compute = ({ [part]: content }: PeriodUsage) => content && measure(read(content as ReportParts[Part]));
    return { ...shared, id, title, definition, parts: [part], compute };
  });

const keySum = { group: "key", kind: "sum", format: "count" } as const;
const tokenSum = { ...keySum, group: "tokens" } as const;
const userMean = { group: "adoption", kind: "rate", format: "count" } as const;
const autonomyRatio = { group: "autonomy", kind: "rate", format: "ratio" } as const;

const units = [
  ["active user", `Credits divided by the active users. ${commonDays}`, ["credits", "people"], creditsPerUser],
  [
    "session",
    `Credits divided by the sessions. ${commonDays}`,
    ["credits", "activity"],
    ({ credits, activity }: PeriodUsage) => creditsPer(credits, activity?.sessions),
  ],
  [
    "pull request",
    `All credits divided by the pull requests. ${commonDays}`,
    ["credits", "productivity"],
    ({ credits, productivity }: PeriodUsage) => creditsPer(credits, productivity?.pullRequests),
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

const activeInLast = (days: number) => `Users active in the last ${days} days with data.`;
const callsPerPrompt = (what: string) =>
  `Tool calls per message of a user: ${what} of each day with tool calls, averaged over the days.`;

/** All figures of a report, in reading order. */
export const figureTable: readonly FigureDefinition[] = [
  ...seriesFigures("credits", keySum, readTotal, [
    ["credits", "Credits", "Standard Credits of all models.", (part) => part.byDay],
  ]),
  {
    ...keySum,
    id: "cost",
    title: "Cost",
    definition: "Credits times the price given for this report.",
    parts: ["credits"],
    format: "money",
    compute: credits,
  },
  {
    ...keySum,
    id: "active_users",
    title: "Active users",
    definition: "Users with a session, message, tool call, commit, pull request or credit in the period.",
    parts: ["people"],
    kind: "distinct",
    compute: ({ people }) => people?.active,
  },
  ...seriesFigures("activity", keySum, readTotal, [
    ["sessions", "Sessions", "Sessions that were started.", (part) => part.sessions],
  ]),
  ...seriesFigures("toolUse", keySum, readTotal, [
    ["tool_calls", "Tool calls", "Calls of tools by agents.", (part) => part.calls],
  ]),
  ...seriesFigures("productivity", keySum, readTotal, [
    ["commits", "Commits", "Commits made by agents.", (part) => part.commits],
    ["pull_requests", "Pull requests", "Pull requests opened by agents.", (part) => part.pullRequests],
  ]),
  ...seriesFigures("credits", tokenSum, readTotal, [
    ["input_tokens", "Input", "Raw tokens sent to models.", (part) => part.inputTokens],
    ["output_tokens", "Output", "Tokens that models generated.", (part) => part.outputTokens],
    ["cache_read_tokens", "Cache read", "Tokens read from the prompt cache.", (part) => part.cacheReadTokens],
    ["cache_write_tokens", "Cache written", "Tokens written to the prompt cache.", (part) => part.cacheWriteTokens],
  ]),
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
  ...seriesFigures("activity", userMean, computeMean, [
    ["daily_active_users", "Daily active users", "Average of the daily active users.", (part) => part.activeUsers],
  ]),
  ...seriesFigures("activity", userMean, readLast, [
    ["weekly_active_users", "Active in the last 7 days", activeInLast(7), (part) => part.weeklyActiveUsers],
    ["monthly_active_users", "Active in the last 30 days", activeInLast(30), (part) => part.monthlyActiveUsers],
  ]),
  ...seriesFigures("toolUse", userMean, computeMean, [
    ["mcp_users", "Used MCP (daily average)", "Average of the daily users of MCP servers.", (part) => part.mcpUsers],
    [
      "web_users",
      "Used the web (daily average)",
      "Average of the daily users of the web interface.",
      (part) => part.webUsers,
    ],
  ]),
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
  ...seriesFigures("toolUse", autonomyRatio, computeMean, [
    ["autonomy_p50", "Tool calls per prompt: median", callsPerPrompt("the median"), (part) => part.autonomyP50],
    ["autonomy_p90", "Tool calls per prompt: p90", callsPerPrompt("the 90th percentile"), (part) => part.autonomyP90],
  ]),
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

type Credits = ReportParts["credits"];

function creditsPer(credits: Credits | undefined, units: Series | undefined): number | undefined {
  return credits && units && divideSeries(credits.byDay, units);
}

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
