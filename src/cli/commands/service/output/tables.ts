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
import { localTime } from "../../../../text/time.ts";
import { type Column, column, formatLargest, ratio, time, whole } from "./table.ts";

/** Columns that show fields of a row: titles, and the fields' names. */
type Fields<Row> = Readonly<Record<string, keyof Row>>;

/** Declares a table's columns, the most important first. If there is not enough room, the last are left out. */
function table<Row>(...parts: readonly (Column<Row> | Fields<Row>)[]): readonly Column<Row>[] {
  const isColumn = (part: Column<Row> | Fields<Row>): part is Column<Row> => typeof part["read"] === "function";
  return parts.flatMap((part) =>
    isColumn(part)
      ? part
      : Object.entries(part).map(([title, field]) => column<Row>(title, (row) => row[field] as string | number)),
  );
}

const day = whole<{ readonly date: string }>("day", ({ date }) => date);
const commitChars = 10;

/** Columns of each operation, without and with `groupBy`. Credits are `billable_tokens`. */
const tables: Readonly<Record<string, readonly Column<never>[]>> = {
  "analytics.tokens": table<analytics.CreditsRow>(
    day,
    { credits: "billable_tokens", input: "input_tokens", output: "output_tokens" },
    column("users", (row) => row.by_user.length),
    column("top model", (row) => formatLargest(row.by_model, "model_id", "billable_tokens")),
    { "cache read": "cache_read_tokens", "cache write": "cache_write_tokens" },
  ),
  "analytics.tokens model": table<analytics.CreditsByModelRow>(day, {
    model: "group_key",
    credits: "billable_tokens",
    input: "input_tokens",
    output: "output_tokens",
  }),
  "analytics.tools": table<analytics.ToolUsageRow>(
    day,
    { calls: "tool_calls" },
    ratio("calls/session", (row) => row.tool_calls_per_session_avg),
    ratio("calls/turn", (row) => row.autonomy_ratio_avg),
    { skills: "skills_invocations", slash: "slash_commands_invocations", hooks: "hooks_invocations" },
    { "MCP users": "mcp_users_with_mcp" },
    column("top tool", (row) => formatLargest(row.by_tool, "tool", "invocations")),
    { "web users": "web_users" },
    ratio("turns/session", (row) => row.user_turns_per_session_avg),
  ),
  "analytics.tools tool_name": table<analytics.ToolUsageByToolRow>(day, { tool: "group_key", calls: "tool_calls" }),
  "analytics.activity": table<analytics.ActivityRow>(
    day,
    { users: "daily_active_users", "active 7d": "weekly_active_users", "active 30d": "monthly_active_users" },
    { sessions: "sessions", messages: "messages", prompts: "user_messages" },
    column("clients", (row) =>
      Object.entries(row.daily_active_users_by_client)
        .map(([client, users]) => `${client} ${users.toLocaleString("en")}`)
        .join(", "),
    ),
  ),
  "analytics.activity client": table<analytics.ActivityByClientRow>(day, {
    client: "group_key",
    users: "daily_active_users",
  }),
  "analytics.productivity": table<analytics.ProductivityRow>(
    day,
    { commits: "git_commits", "pull requests": "git_prs_created" },
    { "files created": "files_created", "files edited": "files_edited" },
    column("top language", (row) => formatLargest(row.by_language, "language", "count")),
  ),
  "analytics.users": table<analytics.UserRow>(
    day,
    column("user", (row) => row.user_email ?? row.user_id),
    { credits: "billable_tokens", sessions: "sessions", "tool calls": "tool_calls", commits: "git_commits" },
    { PRs: "git_prs_created", model: "primary_model", autonomy: "delegation_level" },
    ratio("calls/turn", (row) => row.autonomy_ratio),
    { messages: "messages", created: "files_created", edited: "files_edited", MCP: "mcp_calls" },
    { skills: "skill_calls", slash: "slash_commands", hooks: "hooks" },
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
    { status: "status", title: "title" },
    time("updated", (row) => row.updatedAt),
    { messages: "messageCount" },
    column("credits", (row) => row.sessionSettings?.tokenUsage?.serviceCredits),
    column("model", (row) => row.sessionSettings?.model),
    column("computer", (row) => row.computerId),
    time("created", (row) => row.createdAt),
  ),
  "sessions.messages": table<ListedMessage>(
    whole("message", (row) => row.id),
    column("role", (row) => row.role),
    time(
      "created",
      (row) => row.createdAt,
      (at) => localTime(at ?? ""),
    ), // several come within a minute
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
