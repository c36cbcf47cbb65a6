import * as z from "zod";
import { openObject } from "./open.ts";

/** `/tools`, `by_tool`: about 0.006 % of the names hold parsing artifacts. */
export const toolCountSchema = openObject({ tool: z.string(), invocations: z.number() });
/** `/tools`, `mcp_by_server`: some servers appear twice, their names differing in letter case. */
export const serverCountSchema = openObject({ server: z.string(), invocations: z.number() });
/** `/tools`, `skills_by_name` and `slash_commands_by_name`. */
export const nameCountSchema = openObject({ name: z.string(), count: z.number() });
/** `/tools`, `hooks_by_event`. */
export const hookCountSchema = openObject({
  event: z.string(),
  matcher: z.string(),
  command: z.string(),
  count: z.number(),
});

/** Shares of tool calls by autonomy level. */
export const autonomyLevelRatioSchema = openObject({
  auto_high: z.number(),
  auto_medium: z.number(),
  auto_low: z.number(),
  manual: z.number(),
});
export type AutonomyLevelRatio = z.output<typeof autonomyLevelRatioSchema>;

/** `/tools` without `group_by`: one day. */
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

/** `/tools` with `group_by=tool_name`: one tool on one day; `group_key` is the tool's name. */
export const toolUsageByToolRowSchema = openObject({
  date: z.string(),
  group_key: z.string(),
  tool_calls: z.number(),
});
export type ToolUsageByToolRow = z.output<typeof toolUsageByToolRowSchema>;
