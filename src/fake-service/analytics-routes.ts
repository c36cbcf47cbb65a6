import { activityByClient, activityRow } from "./activity.ts";
import { creditsByModel, creditsRow, listUsage, productivityRow, userRow } from "./analytics.ts";
import { dayMs, dayText } from "./calendar.ts";
import { after, choice, limit, span } from "./checks.ts";
import type { Person } from "./people.ts";
import type { Call, Route } from "./route.ts";
import type { State } from "./state.ts";
import { toolUsageByTool, toolUsageRow } from "./tools.ts";
import type { Usage } from "./usage.ts";

const prefix = "/api/v1/analytics";
const shared = { host: "base", method: "GET", roles: ["owner", "manager"], takesJwt: false, status: 200 } as const;
const dates = ["startDate", "endDate"] as const;

const today = ({ nowMs }: Call): number => Math.floor(nowMs / dayMs);
/** Picks the days for which the service has rows. */
const withData = (days: readonly number[], { firstDay, dropped }: State): number[] =>
  days.filter((day) => day >= firstDay && !dropped.has(day));
const meta = (days: readonly number[]) => ({
  org_id: "org_sandbox",
  start_date: dayText(days[0] ?? 0),
  end_date: dayText(days.at(-1) ?? 0),
});

type Rows = (usages: readonly Usage[], day: number, people: readonly Person[]) => unknown;

/** Makes an endpoint with one row per day, or with `group_by` one row per group and day. */
function daily(name: string, rows: Rows, group?: { readonly by: string; readonly rows: Rows }): Route {
  return {
    ...shared,
    path: `${prefix}/${name}`,
    query: group ? [...dates, "group_by"] : dates,
    answer(call) {
      const days = span(call.query, today(call));
      const grouped = group && choice(call.query, "group_by", [group.by]);
      const { people } = call.state;
      const make = grouped === undefined ? rows : (group?.rows ?? rows);
      const data = withData(days, call.state).flatMap((day) => make(listUsage(people, day), day, people));
      return { data, meta: meta(days) };
    },
  };
}

/**
 * Endpoint with a row per user and day. `limit` counts users, not rows, and the cursor is the id of a page's last user.
 */
const users: Route = {
  ...shared,
  path: `${prefix}/users`,
  query: [...dates, "limit", "cursor"],
  answer(call) {
    const days = span(call.query, today(call));
    const cursor = call.query.get("cursor") ?? undefined;
    const part = after(call.state.people, ({ id }) => id, cursor, limit(call.query, 20, 100));
    const present = withData(days, call.state);
    const data = part.items.flatMap((person) => present.map((day) => userRow(person, day)));
    const next = part.hasMore ? { next_cursor: part.last } : {};
    return { data, meta: { ...meta(days), has_more: part.hasMore, ...next } };
  },
};

/** Endpoints of analytics. */
export const analyticsRoutes: readonly Route[] = [
  daily("tokens", creditsRow, { by: "model", rows: creditsByModel }),
  daily("tools", toolUsageRow, { by: "tool_name", rows: toolUsageByTool }),
  daily("activity", activityRow, { by: "client", rows: activityByClient }),
  daily("productivity", productivityRow),
  users,
];
