import type { ActivityByClientRow, ActivityRow } from "../../service/schemas/activity-row.ts";
import type { CreditsByModelRow, CreditsRow } from "../../service/schemas/credits-row.ts";
import type { ProductivityRow } from "../../service/schemas/productivity-row.ts";
import type { ToolUsageByToolRow, ToolUsageRow } from "../../service/schemas/tool-usage-row.ts";
import type { UserRow } from "../../service/schemas/user-row.ts";
import { type Column, column, mostOf, ratio, whole } from "../commands/service/output/column.ts";

const day = whole<{ readonly date: string }>("day", ({ date }) => date);

/** Credits are `billable_tokens`. Most telling first: what does not fit is left out from the end. */
export const tokens: readonly Column<CreditsRow>[] = [
  day,
  column("credits", (row) => row.billable_tokens),
  column("input", (row) => row.input_tokens),
  column("output", (row) => row.output_tokens),
  column("users", (row) => row.by_user.length),
  column("top model", (row) =>
    mostOf(
      row.by_model,
      ({ model_id }) => model_id,
      (model) => model.billable_tokens,
    ),
  ),
  column("cache read", (row) => row.cache_read_tokens),
  column("cache write", (row) => row.cache_write_tokens),
];

export const tokensByModel: readonly Column<CreditsByModelRow>[] = [
  day,
  column("model", (row) => row.group_key),
  column("credits", (row) => row.billable_tokens),
  column("input", (row) => row.input_tokens),
  column("output", (row) => row.output_tokens),
];

export const tools: readonly Column<ToolUsageRow>[] = [
  day,
  column("calls", (row) => row.tool_calls),
  ratio("calls/session", (row) => row.tool_calls_per_session_avg),
  ratio("calls/turn", (row) => row.autonomy_ratio_avg),
  column("skills", (row) => row.skills_invocations),
  column("slash", (row) => row.slash_commands_invocations),
  column("hooks", (row) => row.hooks_invocations),
  column("MCP users", (row) => row.mcp_users_with_mcp),
  column("top tool", (row) =>
    mostOf(
      row.by_tool,
      ({ tool }) => tool,
      ({ invocations }) => invocations,
    ),
  ),
  column("web users", (row) => row.web_users),
  ratio("turns/session", (row) => row.user_turns_per_session_avg),
];

export const toolsByTool: readonly Column<ToolUsageByToolRow>[] = [
  day,
  column("tool", (row) => row.group_key),
  column("calls", (row) => row.tool_calls),
];

export const activity: readonly Column<ActivityRow>[] = [
  day,
  column("users", (row) => row.daily_active_users),
  column("7 days", (row) => row.weekly_active_users),
  column("30 days", (row) => row.monthly_active_users),
  column("sessions", (row) => row.sessions),
  column("messages", (row) => row.messages),
  column("by users", (row) => row.user_messages),
  column("clients", (row) =>
    Object.entries(row.daily_active_users_by_client)
      .map(([client, users]) => `${client} ${users.toLocaleString("en")}`)
      .join(", "),
  ),
];

export const activityByClient: readonly Column<ActivityByClientRow>[] = [
  day,
  column("client", (row) => row.group_key),
  column("users", (row) => row.daily_active_users),
];

export const productivity: readonly Column<ProductivityRow>[] = [
  day,
  column("commits", (row) => row.git_commits),
  column("pull requests", (row) => row.git_prs_created),
  column("files created", (row) => row.files_created),
  column("files edited", (row) => row.files_edited),
  column("top language", (row) =>
    mostOf(
      row.by_language,
      ({ language }) => language,
      ({ count }) => count,
    ),
  ),
];

export const users: readonly Column<UserRow>[] = [
  day,
  column("user", (row) => row.user_email ?? row.user_id),
  column("credits", (row) => row.billable_tokens),
  column("sessions", (row) => row.sessions),
  column("tool calls", (row) => row.tool_calls),
  column("commits", (row) => row.git_commits),
  column("PRs", (row) => row.git_prs_created),
  column("model", (row) => row.primary_model),
  column("autonomy", (row) => row.delegation_level),
  ratio("calls/turn", (row) => row.autonomy_ratio),
  column("messages", (row) => row.messages),
  column("created", (row) => row.files_created),
  column("edited", (row) => row.files_edited),
  column("MCP", (row) => row.mcp_calls),
  column("skills", (row) => row.skill_calls),
  column("slash", (row) => row.slash_commands),
  column("hooks", (row) => row.hooks),
  column("languages", (row) => row.languages.join(", ")),
];
