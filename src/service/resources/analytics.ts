import * as z from "zod";
import { cursor, days, limit, maxLimit } from "../arguments.ts";
import type { CallOptions } from "../call-options.ts";
import { type ListEndpoint, type ListOf, managers, type QueryOf } from "../endpoint.ts";
import { openEnum, openObject } from "../open-schema.ts";
import { Resource } from "../transport.ts";

const shared = {
  method: "GET",
  base: "baseUrl",
  roles: managers,
  daily: true,
  status: 200,
  items: "data",
  paging: { parameter: "startDate", walkSize: 30 },
} as const;

/** `meta` of an analytics reply, with the first and last day as `YYYY-MM-DD`, UTC. */
export const analyticsMetaSchema = openObject({ org_id: z.string(), start_date: z.string(), end_date: z.string() });

/** Credits and tokens of one model. `billable_tokens` are Standard Credits. */
export const modelCreditsSchema = openObject({
  model_id: z.string(),
  model_tier: z.string(),
  billable_tokens: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
});

/** Credits of one user. */
export const userCreditsSchema = openObject({
  user_id: z.string(),
  user_email: z.string().nullable(),
  billable_tokens: z.number(),
  by_model: z.array(modelCreditsSchema),
});

/** Row of `/tokens` without `group_by`: one day. */
export const creditsRowSchema = openObject({
  date: z.string(),
  billable_tokens: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_read_tokens: z.number(),
  cache_write_tokens: z.number(),
  by_model: z.array(modelCreditsSchema),
  by_user: z.array(userCreditsSchema),
});

/** Row of `/tokens` with `group_by=model`: one model on one day; `group_key` is the model id. */
export const creditsByModelRowSchema = openObject({
  date: z.string(),
  group_key: z.string(),
  billable_tokens: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
});

export const tokens = {
  ...shared,
  name: "analytics.tokens",
  summary: "Show credits and tokens for each day.",
  path: "/api/v1/analytics/tokens",
  query: z.strictObject({
    ...days,
    groupBy: z
      .literal("model", 'must be "model"')
      .optional()
      .describe("Print a row for each model and day instead of each day."),
  }),
  reply: makeEnvelope(creditsRowSchema),
  groupedReply: makeEnvelope(creditsByModelRowSchema),
} as const satisfies ListEndpoint;

/** `by_tool` of `/tools`. About 0.006% of the names contain parsing artifacts. */
export const toolCountSchema = openObject({ tool: z.string(), invocations: z.number() });

/** `mcp_by_server` of `/tools`. Some servers appear twice, with names that differ only in case. */
export const serverCountSchema = openObject({ server: z.string(), invocations: z.number() });

/** `skills_by_name` and `slash_commands_by_name` of `/tools`. */
export const nameCountSchema = openObject({ name: z.string(), count: z.number() });

/** `hooks_by_event` of `/tools`. */
export const hookCountSchema = openObject({
  event: z.string(),
  matcher: z.string(),
  command: z.string(),
  count: z.number(),
});

/** Distribution of tool calls over the autonomy levels. */
export const autonomyLevelRatioSchema = openObject({
  auto_high: z.number(),
  auto_medium: z.number(),
  auto_low: z.number(),
  manual: z.number(),
});

/** Row of `/tools` without `group_by`: one day. */
export const toolUsageRowSchema = openObject({
  date: z.string(),
  tool_calls: z.number(),
  by_tool: z.array(toolCountSchema),
  mcp_users_with_mcp: z.number(),
  mcp_by_server: z.array(serverCountSchema),
  skills_invocations: z.number(),
  skills_by_name: z.array(nameCountSchema),
  slash_commands_invocations: z.number(),
  slash_commands_by_name: z.array(nameCountSchema),
  hooks_invocations: z.number(),
  hooks_by_event: z.array(hookCountSchema),
  web_users: z.number(),
  autonomy_ratio_avg: z.number(),
  autonomy_ratio_p50: z.number(),
  autonomy_ratio_p90: z.number(),
  tool_calls_per_session_avg: z.number(),
  user_turns_per_session_avg: z.number(),
  tool_autonomy_level_ratio: autonomyLevelRatioSchema,
});

/** Row of `/tools` with `group_by=tool_name`: one tool on one day; `group_key` is the tool's name. */
export const toolUsageByToolRowSchema = openObject({ date: z.string(), group_key: z.string(), tool_calls: z.number() });

export const tools = {
  ...shared,
  name: "analytics.tools",
  summary: "Show the use of tools, MCP servers, skills, slash commands and hooks for each day.",
  path: "/api/v1/analytics/tools",
  query: z.strictObject({
    ...days,
    groupBy: z
      .literal("tool_name", 'must be "tool_name"')
      .optional()
      .describe("Print only the use of each tool, with a row for each tool and day."),
  }),
  reply: makeEnvelope(toolUsageRowSchema),
  groupedReply: makeEnvelope(toolUsageByToolRowSchema),
} as const satisfies ListEndpoint;

/**
 * Row of `/activity` without `group_by`: one day. A user of several clients counts once in total and once per client.
 */
export const activityRowSchema = openObject({
  date: z.string(),
  daily_active_users: z.number(),
  weekly_active_users: z.number(),
  monthly_active_users: z.number(),
  daily_active_users_by_client: z.record(z.string(), z.number()),
  sessions: z.number(),
  messages: z.number(),
  user_messages: z.number(),
});

/** Client types: command line with a terminal, web application, headless command line. */
export const clientTypes = ["terminal-ui", "web", "non-interactive-cli"] as const;
export const clientTypeSchema = openEnum(clientTypes);

/** Row of `/activity` with `group_by=client`: one client type on one day. */
export const activityByClientRowSchema = openObject({
  date: z.string(),
  group_key: clientTypeSchema,
  daily_active_users: z.number(),
});

export const activity = {
  ...shared,
  name: "analytics.activity",
  summary: "Show the numbers of active users, sessions and messages for each day.",
  path: "/api/v1/analytics/activity",
  query: z.strictObject({
    ...days,
    groupBy: z
      .literal("client", 'must be "client"')
      .optional()
      .describe("Print only active users, with a row for each client and day."),
  }),
  reply: makeEnvelope(activityRowSchema),
  groupedReply: makeEnvelope(activityByClientRowSchema),
} as const satisfies ListEndpoint;

export const extensionCountSchema = openObject({ extension: z.string(), count: z.number() });
export const languageCountSchema = openObject({ language: z.string(), count: z.number() });

/** Row of `/productivity`: one day. */
export const productivityRowSchema = openObject({
  date: z.string(),
  files_created: z.number(),
  files_edited: z.number(),
  by_extension: z.array(extensionCountSchema),
  by_language: z.array(languageCountSchema),
  git_commits: z.number(),
  git_prs_created: z.number(),
});

export const productivity = {
  ...shared,
  name: "analytics.productivity",
  summary: "Show the numbers of files, commits and pull requests for each day.",
  path: "/api/v1/analytics/productivity",
  query: z.strictObject(days),
  reply: makeEnvelope(productivityRowSchema),
} as const satisfies ListEndpoint;

export const modelTiers = ["standard", "thinking"] as const;
export const modelTierSchema = openEnum(modelTiers);

/** A user's primary autonomy mode, from most to least autonomy; `spec` plans before it executes. */
export const delegationLevels = ["auto-high", "auto-medium", "auto-low", "spec", "manual"] as const;
export const delegationLevelSchema = openEnum(delegationLevels);

/** Row of `/users`: one user on one day. `autonomy_ratio` is tool calls per user turn. */
export const userRowSchema = openObject({
  user_id: z.string(),
  user_email: z.string().nullable(),
  date: z.string(),
  tool_calls: z.number(),
  billable_tokens: z.number(),
  primary_model: z.string(),
  primary_model_tier: modelTierSchema,
  files_created: z.number(),
  files_edited: z.number(),
  git_commits: z.number(),
  git_prs_created: z.number(),
  mcp_calls: z.number(),
  skill_calls: z.number(),
  slash_commands: z.number(),
  hooks: z.number(),
  sessions: z.number(),
  messages: z.number(),
  user_messages: z.number(),
  assistant_messages: z.number(),
  autonomy_ratio: z.number(),
  delegation_level: delegationLevelSchema,
  languages: z.array(z.string()),
});

/**
 * `meta` of `/users`. `next_cursor` is a user id. It may be absent or null, because the API document does not show the
 * last page.
 */
export const pagedAnalyticsMetaSchema = analyticsMetaSchema.extend({
  has_more: z.boolean(),
  next_cursor: z.string().nullish(),
});

export const userMetrics = {
  ...shared,
  name: "analytics.users",
  summary: "Show each user's tokens, tool calls, messages and commits for each day.",
  path: "/api/v1/analytics/users",
  query: z.strictObject({ ...days, limit, cursor }),
  reply: makeEnvelope(userRowSchema).extend({ meta: pagedAnalyticsMetaSchema }),
  paging: { parameter: "cursor", at: "meta", more: "has_more", next: "next_cursor", walkSize: maxLimit },
} as const satisfies ListEndpoint;

/**
 * First and last day (UTC) of a span, as `YYYY-MM-DD` or as a Date, whose UTC day is used. The API document does not
 * limit a span. The client allows any length, and a loop requests 30 days at a time.
 */
export type Span = QueryOf<typeof productivity>;

type GroupableEndpoint = ListEndpoint & { readonly groupedReply: z.ZodType };

type Grouped<E extends GroupableEndpoint> = Omit<ListEndpoint, "items" | "reply"> & {
  readonly items: E["items"];
  readonly reply: E["groupedReply"];
};

/** Function that lists rows, whose type depends on `groupBy`. */
interface Groupable<E extends GroupableEndpoint> {
  (query: QueryOf<E> & { groupBy: string }, options?: CallOptions): ListOf<Grouped<E>>;
  (query: QueryOf<E> & { groupBy?: undefined }, options?: CallOptions): ListOf<E>;
  (query: QueryOf<E>, options?: CallOptions): ListOf<E> | ListOf<Grouped<E>>;
}

/**
 * Daily numbers of the organization, from 2026-01-14 to yesterday. Needs the key of a Manager or Owner. A page has its
 * rows in `data` and in `items`, and has `meta`. A page of `users` has a limited number of users; `page()` of the other
 * lists gets the whole span.
 */
export class Analytics extends Resource {
  /** Lists credits and tokens: a row per day, or per model and day with `groupBy: "model"`. */
  readonly tokens: Groupable<typeof tokens> = this.#groupable(tokens);

  /** Lists tool use: a row per day, or per tool and day with `groupBy: "tool_name"`. */
  readonly tools: Groupable<typeof tools> = this.#groupable(tools);

  /** Lists active users: a row per day, or per client type and day with `groupBy: "client"`. */
  readonly activity: Groupable<typeof activity> = this.#groupable(activity);

  /** Lists numbers of files, commits and pull requests: a row per day. */
  productivity(query: Span, options?: CallOptions): ListOf<typeof productivity> {
    return this.transport.list(productivity, query, options);
  }

  /** Lists every user's numbers: a row per user and day, `limit` users per page. A cursor is a user's id. */
  users(query: QueryOf<typeof userMetrics>, options?: CallOptions): ListOf<typeof userMetrics> {
    return this.transport.list(userMetrics, query, options);
  }

  #groupable<E extends GroupableEndpoint>(endpoint: E): Groupable<E> {
    const grouped = { ...endpoint, reply: endpoint.groupedReply };
    const list = (query: QueryOf<E>, options?: CallOptions) =>
      this.transport.list(query?.["groupBy"] === undefined ? endpoint : grouped, query, options);
    return list as Groupable<E>;
  }
}

export type AnalyticsMeta = z.output<typeof analyticsMetaSchema>;

export type PagedAnalyticsMeta = z.output<typeof pagedAnalyticsMetaSchema>;

/** Makes the schema of an analytics reply, which has one row per day, or per group and day. */
export function makeEnvelope<Row extends z.ZodType>(row: Row) {
  return openObject({ data: z.array(row), meta: analyticsMetaSchema });
}

export type ModelCredits = z.output<typeof modelCreditsSchema>;

export type UserCredits = z.output<typeof userCreditsSchema>;

export type CreditsRow = z.output<typeof creditsRowSchema>;

export type CreditsByModelRow = z.output<typeof creditsByModelRowSchema>;

export type AutonomyLevelRatio = z.output<typeof autonomyLevelRatioSchema>;

export type ToolUsageRow = z.output<typeof toolUsageRowSchema>;

export type ToolUsageByToolRow = z.output<typeof toolUsageByToolRowSchema>;

export type ClientType = z.output<typeof clientTypeSchema>;

export type ActivityRow = z.output<typeof activityRowSchema>;

export type ActivityByClientRow = z.output<typeof activityByClientRowSchema>;

export type ProductivityRow = z.output<typeof productivityRowSchema>;

export type DelegationLevel = z.output<typeof delegationLevelSchema>;

export type ModelTier = z.output<typeof modelTierSchema>;

export type UserRow = z.output<typeof userRowSchema>;
