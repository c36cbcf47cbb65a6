import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { collect } from "../../src/report/collect.ts";
import type { Period } from "../../src/report/period.ts";
import type { UsageReport } from "../../src/report/report.ts";
import { ServiceClient } from "../../src/service.ts";
import { sumBy } from "./rows.ts";

/**
 * A small server written from the API document alone, without the sandbox: three users who each have one row a day. Its
 * rows can be changed, as a service that misbehaves would change them.
 */

export type Row = Readonly<Record<string, unknown>>;
type Path = "tokens" | "tools" | "activity" | "productivity" | "users" | "organization/users";
type Refusal = { readonly status: number; readonly body: object };
/** Changes the rows of a path, or refuses its requests. */
export type Faults = { readonly [Name in Path]?: ((rows: Row[]) => Row[]) | Refusal };

/** Five days that end at the server's yesterday. */
export const fiveDays: Period = { startDate: "2026-06-10", endDate: "2026-06-14" };
export const nowMs = Date.UTC(2026, 5, 15, 12);
const ids = ["u1", "u2", "u3"];
const pageRows = 100;

function listDates(from: string, to: string): string[] {
  const count = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
  return Array.from({ length: count }, (_, index) =>
    new Date(Date.parse(from) + index * 86_400_000).toISOString().slice(0, 10),
  );
}

function userRow(id: string, date: string) {
  const n = ids.indexOf(id) + 1;
  return {
    ...{ user_id: id, user_email: `${id}@example.com`, date, primary_model: "large", primary_model_tier: "standard" },
    ...{ billable_tokens: 1000 * n, tool_calls: 40 * n + Number(date.slice(8)), sessions: 2 * n, messages: 20 * n },
    ...{ user_messages: 5 * n, assistant_messages: 15 * n, git_commits: n, git_prs_created: 1, files_created: n },
    ...{ files_edited: n, mcp_calls: 0, skill_calls: 0, slash_commands: 0, hooks: 0, autonomy_ratio: 8 },
    ...{ delegation_level: "spec", languages: ["ts"] },
  };
}

const rowMakers: Readonly<Record<Exclude<Path, "users" | "organization/users">, (date: string) => Row>> = {
  tokens: (date) => {
    const billable_tokens = addUp(date, (row) => row.billable_tokens);
    const tokens = { billable_tokens, input_tokens: 1000, output_tokens: 100 };
    const by_model = [{ model_id: "large", model_tier: "standard", ...tokens }];
    return { date, ...tokens, cache_read_tokens: 600, cache_write_tokens: 10, by_model, by_user: [] };
  },
  activity: (date) => ({
    ...{ date, daily_active_users: 3, weekly_active_users: 3, monthly_active_users: 3 },
    daily_active_users_by_client: { web: 1, "terminal-ui": 3 },
    sessions: addUp(date, (row) => row.sessions),
    messages: addUp(date, (row) => row.messages),
    user_messages: addUp(date, (row) => row.user_messages),
  }),
  productivity: (date) => ({
    ...{ date, files_created: 6, files_edited: 6, by_extension: [], by_language: [{ language: "ts", count: 12 }] },
    git_commits: addUp(date, (row) => row.git_commits),
    git_prs_created: addUp(date, (row) => row.git_prs_created),
  }),
  tools: (date) => {
    const tool_calls = addUp(date, (row) => row.tool_calls);
    return {
      ...{ date, tool_calls, by_tool: [{ tool: "Read", invocations: tool_calls }], mcp_users_with_mcp: 1 },
      ...{ mcp_by_server: [], skills_invocations: 0, skills_by_name: [], slash_commands_invocations: 0 },
      ...{ slash_commands_by_name: [], hooks_invocations: 0, hooks_by_event: [], web_users: 1 },
      ...{ autonomy_ratio_avg: 8, autonomy_ratio_p50: 5, autonomy_ratio_p90: 20 },
      ...{ tool_calls_per_session_avg: 20, user_turns_per_session_avg: 3 },
      tool_autonomy_level_ratio: { auto_high: 0.5, auto_medium: 0.5, auto_low: 0, manual: 0 },
    };
  },
};

function addUp(date: string, measure: (row: ReturnType<typeof userRow>) => number): number {
  return sumBy(
    ids.map((id) => userRow(id, date)),
    measure,
  );
}

function answer(url: URL, faults: Faults): Refusal {
  const [path] = /(?:organization\/)?\w+$/.exec(url.pathname) as unknown as [Path];
  const fault = faults[path];
  if (typeof fault === "object") return fault;
  const change = fault ?? ((rows) => rows);
  if (path === "organization/users") {
    const users = change([...ids, "idle"].map((id) => ({ id, email: `${id}@example.com` })));
    return { status: 200, body: { users, pagination: { hasMore: false, nextCursor: "" } } };
  }
  const [start = "", end = ""] = ["startDate", "endDate"].map((name) => url.searchParams.get(name) ?? "");
  const dates = listDates(start, end);
  const own = { org_id: "org_plain", start_date: start, end_date: end };
  const rows =
    path === "users" ? ids.flatMap((id) => dates.map((date) => userRow(id, date))) : dates.map(rowMakers[path]);
  const data = change(rows);
  if (path !== "users") return { status: 200, body: { data, meta: own } };
  const skipped = Number(url.searchParams.get("cursor") ?? 0);
  const next = skipped + pageRows;
  const paging = { has_more: next < data.length, next_cursor: String(next) };
  return { status: 200, body: { data: data.slice(skipped, next), meta: { ...own, ...paging } } };
}

/** Starts the server for a test. Returns its address. */
export async function startPlainService(faults: Faults = {}): Promise<string> {
  const server = createServer((request, response) => {
    const { status, body } = answer(new URL(request.url ?? "/", "http://localhost"), faults);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Collects the report of a server with these faults. */
export async function collectPlain(faults: Faults = {}, period: Period = fiveDays): Promise<UsageReport> {
  const baseUrl = await startPlainService(faults);
  const client = new ServiceClient({ baseUrl, apiKey: "key", now: () => nowMs, sleep: () => Promise.resolve() });
  return collect(client, period, { nowMs });
}
