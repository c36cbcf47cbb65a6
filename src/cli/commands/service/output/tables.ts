import * as analytics from "../../../service/analytics-tables.ts";
import type { Column } from "./column.ts";
import { changes, messages, people, reports, sessions } from "../../../service/record-tables.ts";

/** Tables for people by operation, and by what the rows are grouped by. */
const tables: Readonly<Record<string, readonly Column<never>[]>> = {
  "analytics.tokens": analytics.tokens,
  "analytics.tokens model": analytics.tokensByModel,
  "analytics.tools": analytics.tools,
  "analytics.tools tool_name": analytics.toolsByTool,
  "analytics.activity": analytics.activity,
  "analytics.activity client": analytics.activityByClient,
  "analytics.productivity": analytics.productivity,
  "analytics.users": analytics.users,
  "readiness.reports": reports,
  "enterpriseControls.history": changes,
  "sessions.list": sessions,
  "sessions.messages": messages,
  "users.list": people,
};

/** The columns in which an operation's rows are shown to people; undefined for one that does not list. */
export function tableOf(name: string, groupBy: unknown): readonly Column<object>[] | undefined {
  const columns = tables[typeof groupBy === "string" ? `${name} ${groupBy}` : name];
  return columns as readonly Column<object>[] | undefined;
}
