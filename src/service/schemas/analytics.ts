import * as z from "zod";
import { openEnum, openObject } from "./open.ts";

/** `meta` of an analytics reply, with the first and last day as `YYYY-MM-DD`, UTC. */
export const analyticsMetaSchema = openObject({ org_id: z.string(), start_date: z.string(), end_date: z.string() });
export type AnalyticsMeta = z.output<typeof analyticsMetaSchema>;

/**
 * `meta` of `/users`. `next_cursor` is a user id. It may be absent or null, because the API document does not show the
 * last page.
 */
export const pagedAnalyticsMetaSchema = analyticsMetaSchema.extend({
  has_more: z.boolean(),
  next_cursor: z.string().nullish(),
});
export type PagedAnalyticsMeta = z.output<typeof pagedAnalyticsMetaSchema>;

/** Makes the schema of an analytics reply, which has one row per day, or per group and day. */
export function makeEnvelope<Row extends z.ZodType>(row: Row) {
  return openObject({ data: z.array(row), meta: analyticsMetaSchema });
}

/** Credits and tokens of one model. `billable_tokens` are Standard Credits. */
export const modelCreditsSchema = openObject({
  model_id: z.string(),
  model_tier: z.string(),
  billable_tokens: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
});
export type ModelCredits = z.output<typeof modelCreditsSchema>;

/** Credits of one user. */
export const userCreditsSchema = openObject({
  user_id: z.string(),
  user_email: z.string().nullable(),
  billable_tokens: z.number(),
  by_model: z.array(modelCreditsSchema),
});
export type UserCredits = z.output<typeof userCreditsSchema>;

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
export type CreditsRow = z.output<typeof creditsRowSchema>;

/** Row of `/tokens` with `group_by=model`: one model on one day; `group_key` is the model id. */
export const creditsByModelRowSchema = openObject({
  date: z.string(),
  group_key: z.string(),
  billable_tokens: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
});
export type CreditsByModelRow = z.output<typeof creditsByModelRowSchema>;

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
export type AutonomyLevelRatio = z.output<typeof autonomyLevelRatioSchema>;

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
export type ToolUsageRow = z.output<typeof toolUsageRowSchema>;

/** Row of `/tools` with `group_by=tool_name`: one tool on one day; `group_key` is the tool's name. */
export const toolUsageByToolRowSchema = openObject({ date: z.string(), group_key: z.string(), tool_calls: z.number() });
export type ToolUsageByToolRow = z.output<typeof toolUsageByToolRowSchema>;

/** Client types: command line with a terminal, web application, headless command line. */
export const clientTypes = ["terminal-ui", "web", "non-interactive-cli"] as const;
export const clientTypeSchema = openEnum(clientTypes);
export type ClientType = z.output<typeof clientTypeSchema>;

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
export type ActivityRow = z.output<typeof activityRowSchema>;

/** Row of `/activity` with `group_by=client`: one client type on one day. */
export const activityByClientRowSchema = openObject({
  date: z.string(),
  group_key: clientTypeSchema,
  daily_active_users: z.number(),
});
export type ActivityByClientRow = z.output<typeof activityByClientRowSchema>;

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
export type ProductivityRow = z.output<typeof productivityRowSchema>;

/** A user's primary autonomy mode, from most to least autonomy; `spec` plans before it executes. */
export const delegationLevels = ["auto-high", "auto-medium", "auto-low", "spec", "manual"] as const;
export const delegationLevelSchema = openEnum(delegationLevels);
export type DelegationLevel = z.output<typeof delegationLevelSchema>;

export const modelTiers = ["standard", "thinking"] as const;
export const modelTierSchema = openEnum(modelTiers);
export type ModelTier = z.output<typeof modelTierSchema>;

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
export type UserRow = z.output<typeof userRowSchema>;
