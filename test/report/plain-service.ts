import { createServer } from "node:http";
import { type CollectOptions, collect } from "../../src/report/collect.ts";
import { computeFigures } from "../../src/report/figures.ts";
import type { Period } from "../../src/report/period.ts";
import type { UsageReport } from "../../src/report/report.ts";
import { ServiceClient } from "../../src/service.ts";
import type { CliHome, CliResult } from "../world/cli-home.ts";
import { listen } from "../world/listen.ts";
import { sumBy } from "./rows.ts";

/**
 * A small server written from the API document alone, without the sandbox: three users who each have one row a day. Its
 * rows can be changed, as a service that misbehaves would change them.
 */

export type Row = Readonly<Record<string, unknown>>;
type DailyPath = "tokens" | "tools" | "activity" | "productivity" | "users";
type ListPath = "organization/users" | "history" | "maturity-level-reports" | "sessions";
export type Path = DailyPath | ListPath;
export type Refusal = { readonly status: number; readonly body: object };
/** First day for which the service answers, if it is later than the first day requested. */
export type Clamp = { readonly firstDay: string; readonly change?: (rows: Row[]) => Row[] };
export type Fault = ((rows: Row[]) => Row[]) | Refusal | Clamp;
/** Faults by path: a function that changes the rows, a later first day, or a refusal. */
export type Faults = { readonly [Name in Path]?: Fault };

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

const rowMakers: Readonly<Record<Exclude<DailyPath, "users">, (date: string) => Row>> = {
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
  return sumBy(ids, (id) => measure(userRow(id, date)));
}

const instant = (day: string): number => Date.parse(`${day}T10:00:00Z`);

function readinessRow(repository: string, day: string, passed: readonly [number, number]): Row {
  const [tests, lint] = passed.map((numerator) => ({ numerator, denominator: 2, rationale: "r" }));
  const report = { tests_exist: tests, linter_configured: lint };
  const repoUrl = `https://x-token:secret@git.example.com/${repository}.git`;
  return { reportId: `${repository}-${day}`, createdAt: instant(day), repoUrl, apps: {}, report };
}

function changeRow(revision: number, updatedAt: string, settings: object): Row {
  return { revision, settings, user: { id: "u1", email: "u1@example.com", name: "Ada" }, updatedAt };
}

function sessionRow(id: string, day: string, settings: object | undefined): Row {
  const times = { createdAt: instant(day), updatedAt: instant(day) };
  const common = { status: "idle", messageCount: 1, title: `Task ${id}`, computerId: "c1" };
  return { sessionId: id, ...common, ...times, ...settings };
}

const costs = (own: number, inclusive: number, ...tags: string[]) => ({
  sessionSettings: {
    ...{ model: "large", tags: tags.map((name) => ({ name })) },
    ...{ tokenUsage: { serviceCredits: own }, inclusiveTokenUsage: { serviceCredits: inclusive } },
  },
});

/** Lists without days, each with the field of its rows, and the rows. */
const lists: Readonly<Record<ListPath, readonly [field: string, rows: readonly Row[]]>> = {
  "organization/users": ["users", [...ids, "idle"].map((id) => ({ id, email: `${id}@example.com` }))],
  history: [
    "changes",
    [
      changeRow(4, "2026-06-13T23:30:00Z", { mcpPolicy: { enabled: false }, sessionRetentionDays: 30 }),
      changeRow(3, "2026-06-11T08:00:00+02:00", { mcpPolicy: { enabled: true }, sessionRetentionDays: 30 }),
      changeRow(2, "2026-06-01T08:00:00Z", { mcpPolicy: { enabled: true }, wikiCloudSync: true }),
      changeRow(1, "2026-05-01T08:00:00Z", {}),
    ],
  ],
  "maturity-level-reports": [
    "reports",
    [
      readinessRow("shop", "2026-06-12", [1, 2]),
      readinessRow("api", "2026-06-10", [2, 2]),
      readinessRow("shop", "2026-05-12", [1, 0]),
      readinessRow("shop", "2026-04-12", [0, 0]),
    ],
  ],
  sessions: [
    "sessions",
    [
      sessionRow("s1", "2026-06-10", costs(100, 100, "release")),
      sessionRow("s2", "2026-06-14", costs(200, 900, "release", "docs")),
      sessionRow("s3", "2026-06-11", undefined),
      sessionRow("s4", "2026-06-09", costs(5000, 5000)),
    ],
  ],
};

function answer(url: URL, faults: Faults): Refusal {
  const [path] = /(?:organization\/users|[\w-]+)$/.exec(url.pathname) as unknown as [Path];
  const fault = faults[path];
  if (typeof fault === "object" && "status" in fault) return fault;
  const { change = (rows: Row[]) => rows, firstDay = "" } =
    typeof fault === "function" ? { change: fault } : (fault ?? {});
  if (path in lists) {
    const [field, rows] = lists[path as ListPath];
    const isAfter = url.searchParams.has("startAfter");
    const pagination = { hasMore: false, nextCursor: "" };
    return { status: 200, body: { [field]: isAfter ? [] : change([...rows]), pagination } };
  }
  return answerDays(path as DailyPath, url, { change, firstDay });
}

function answerDays(path: DailyPath, url: URL, { change = (rows) => rows, firstDay }: Clamp): Refusal {
  const [asked = "", end = ""] = ["startDate", "endDate"].map((name) => url.searchParams.get(name) ?? "");
  const start = firstDay > asked && firstDay <= end ? firstDay : asked;
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
async function startPlainService(faults: Faults = {}): Promise<string> {
  const server = createServer((request, response) => {
    const { status, body } = answer(new URL(request.url ?? "/", "http://localhost"), faults);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  return `http://${await listen(server)}`;
}

/** Finds a figure of a report. */
export const readFigure = (report: UsageReport, id: string) =>
  computeFigures(report).find((figure) => figure.id === id);

/** Runs `beckon service report` for five days of a server with these faults. */
export async function runPlain(home: CliHome, faults: Faults, ...options: readonly string[]): Promise<CliResult> {
  const BECKON_BASE_URL = await startPlainService(faults);
  const environment = { ...home.environment, env: { ...home.env, BECKON_BASE_URL, BECKON_API_KEY: "key" } };
  return home.run(["service", "report", "--since", "5d", ...options], { environment, now: () => nowMs });
}

/** Collects the report of a server with these faults. */
export async function collectPlain(faults: Faults = {}, period: Period = fiveDays, options: CollectOptions = {}) {
  const baseUrl = await startPlainService(faults);
  const tuning = { now: () => nowMs, sleep: () => Promise.resolve() };
  const client = new ServiceClient({ baseUrl, appUrl: baseUrl, apiKey: "key", ...tuning });
  return collect(client, period, { nowMs, ...options });
}
