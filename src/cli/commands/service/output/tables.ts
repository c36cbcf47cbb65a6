import { isDeepStrictEqual } from "node:util";
import { nameRepository } from "../../../../report/readiness.ts";
import type * as analytics from "../../../../service/schemas/analytics.ts";
import type {
  ControlChange,
  ListedMessage,
  ListedSession,
  OrganizationUser,
  ReadinessReport,
} from "../../../../service/schemas/objects.ts";
import { type Column, column, formatLargest, ratio, time, whole } from "./table.ts";

/** Declares a table's columns, the most important first. If there is not enough room, the last are left out. */
function table<Row>(...columns: readonly Column<Row>[]): readonly Column<Row>[] {
  return columns;
}

const day = whole<{ readonly date: string }>("day", ({ date }) => date);
const commitChars = 10;

/** Columns of each operation, without and with `groupBy`. Credits are `billable_tokens`. */
const tables: Readonly<Record<string, readonly Column<never>[]>> = {
  "analytics.tokens": table<analytics.CreditsRow>(
    day,
    column("credits", (row) => row.billable_tokens),
    column("input", (row) => row.input_tokens),
    column("output", (row) => row.output_tokens),
    column("users", (row) => row.by_user.length),
    column("top model", (row) => formatLargest(row.by_model, "model_id", "billable_tokens")),
    column("cache read", (row) => row.cache_read_tokens),
    column("cache write", (row) => row.cache_write_tokens),
  ),
  "analytics.tokens model": table<analytics.CreditsByModelRow>(
    day,
    column("model", (row) => row.group_key),
    column("credits", (row) => row.billable_tokens),
    column("input", (row) => row.input_tokens),
    column("output", (row) => row.output_tokens),
  ),
  "analytics.tools": table<analytics.ToolUsageRow>(
    day,
    column("calls", (row) => row.tool_calls),
    ratio("calls/session", (row) => row.tool_calls_per_session_avg),
    ratio("calls/turn", (row) => row.autonomy_ratio_avg),
    column("skills", (row) => row.skills_invocations),
    column("slash", (row) => row.slash_commands_invocations),
    column("hooks", (row) => row.hooks_invocations),
    column("MCP users", (row) => row.mcp_users_with_mcp),
    column("top tool", (row) => formatLargest(row.by_tool, "tool", "invocations")),
    column("web users", (row) => row.web_users),
    ratio("turns/session", (row) => row.user_turns_per_session_avg),
  ),
  "analytics.tools tool_name": table<analytics.ToolUsageByToolRow>(
    day,
    column("tool", (row) => row.group_key),
    column("calls", (row) => row.tool_calls),
  ),
  "analytics.activity": table<analytics.ActivityRow>(
    day,
    column("users", (row) => row.daily_active_users),
    column("active 7d", (row) => row.weekly_active_users),
    column("active 30d", (row) => row.monthly_active_users),
    column("sessions", (row) => row.sessions),
    column("messages", (row) => row.messages),
    column("prompts", (row) => row.user_messages),
    column("clients", (row) =>
      Object.entries(row.daily_active_users_by_client)
        .map(([client, users]) => `${client} ${users.toLocaleString("en")}`)
        .join(", "),
    ),
  ),
  "analytics.activity client": table<analytics.ActivityByClientRow>(
    day,
    column("client", (row) => row.group_key),
    column("users", (row) => row.daily_active_users),
  ),
  "analytics.productivity": table<analytics.ProductivityRow>(
    day,
    column("commits", (row) => row.git_commits),
    column("pull requests", (row) => row.git_prs_created),
    column("files created", (row) => row.files_created),
    column("files edited", (row) => row.files_edited),
    column("top language", (row) => formatLargest(row.by_language, "language", "count")),
  ),
  "analytics.users": table<analytics.UserRow>(
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
  ),
  "readiness.reports": table<ReadinessReport>(
    time("evaluated", (row) => row.createdAt),
    column("passed", formatPassed),
    column("repository", (row) => nameRepository(row.repoUrl)),
    column("branch", (row) => row.branch),
    whole("commit", (row) => row.commitHash?.slice(0, commitChars)),
    column("model", (row) => row.modelUsed && `${row.modelUsed.id} ${row.modelUsed.reasoningEffort}`),
    column("apps", (row) => Object.keys(row.apps).length),
    whole("report", (row) => row.reportId),
  ),
  // Settings can be large and contain secrets, so only the names of changed ones are shown.
  "enterpriseControls.history": table<ControlChange>(
    column("revision", (row) => row.revision),
    time("when", (row) => row.updatedAt),
    column("by", (row) => row.user.email || row.user.name || row.user.id),
    column("changed settings", changedSettings),
  ),
  "sessions.list": table<ListedSession>(
    whole("session", (row) => row.sessionId),
    column("status", (row) => row.status),
    column("title", (row) => row.title),
    time("updated", (row) => row.updatedAt),
    column("messages", (row) => row.messageCount),
    column("credits", (row) => row.sessionSettings?.tokenUsage?.serviceCredits),
    column("model", (row) => row.sessionSettings?.model),
    column("computer", (row) => row.computerId),
    time("created", (row) => row.createdAt),
  ),
  "sessions.messages": table<ListedMessage>(
    whole("message", (row) => row.id),
    column("role", (row) => row.role),
    time("created", (row) => row.createdAt),
    column("text", (row) => row.content?.map(({ text }) => text).join(" ")),
  ),
  "users.list": table<OrganizationUser>(
    whole("user", (row) => row.id),
    column("e-mail", (row) => row.email),
    column("name", (row) => [row.firstName, row.lastName].filter(Boolean).join(" ")),
    time("last sign-in", (row) => row.lastSignInAt),
    time("created", (row) => row.createdAt),
  ),
};

/** Formats how many sub-applications pass, added up over all criteria. */
function formatPassed({ report }: ReadinessReport): string {
  const criteria = Object.values(report);
  const sum = (part: "numerator" | "denominator") => criteria.reduce((total, criterion) => total + criterion[part], 0);
  const [passing, all] = [sum("numerator"), sum("denominator")];
  return all === 0 ? "" : `${passing} of ${all}`;
}

/**
 * Names the properties that changed since the previous revision, which is the next row. Returns `?` if the next row is
 * unknown.
 */
function changedSettings({ settings }: ControlChange, nextRow?: ControlChange): string {
  if (nextRow === undefined) return "?";
  const names = new Set([...Object.keys(settings), ...Object.keys(nextRow.settings)]);
  return [...names].filter((name) => !isDeepStrictEqual(settings[name], nextRow.settings[name])).join(", ");
}

/** Finds the columns for an operation's rows; undefined for an operation without a list. */
export function findTable(name: string, groupBy: unknown): readonly Column<object>[] | undefined {
  const columns = tables[typeof groupBy === "string" ? `${name} ${groupBy}` : name];
  return columns as readonly Column<object>[] | undefined;
}
