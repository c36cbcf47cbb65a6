import fc from "fast-check";
import type { CreditsDay } from "../../src/report/parts.ts";
import type { UsageReport } from "../../src/report/report.ts";
import type { ActivityRow, ProductivityRow, ToolUsageRow, UserRow } from "../../src/service/schemas/analytics.ts";

/** Days of the reports made here. */
export const days = ["2026-06-01", "2026-06-02", "2026-06-03"] as const;

const date = fc.constantFrom(...days);
const count = fc.nat(1_000_000_000);
/** Few enough that names repeat, some of them hostile. */
const hostile = ["", "\u202eevil", "</script><img onerror=x>", "__proto__", "x".repeat(10_000)];
const names = fc.constantFrom("Read", "read", "Edit", ...hostile);
const name = fc.oneof(names, fc.string({ unit: "binary", maxLength: 8 }));
const listOf = <Item>(item: fc.Arbitrary<Item>) => fc.array(item, { maxLength: 12 });

const model_tier = fc.constantFrom("standard", "thinking");
const inAndOut = { input_tokens: count, output_tokens: count };
const model = fc.record({ model_id: name, model_tier, billable_tokens: count, ...inAndOut });

/** Credits that are the sum of those of the models. */
const tokens = { ...inAndOut, cache_read_tokens: count, cache_write_tokens: count };
export const creditsRows: fc.Arbitrary<CreditsDay[]> = listOf(
  fc.record({ date, ...tokens, by_model: listOf(model) }).map((row) => {
    return { ...row, billable_tokens: sumOf(row.by_model, (one) => one.billable_tokens) };
  }),
);

/** A day's credits, all of one model. */
export function creditsRow(date: string, model_id: string, billable_tokens: number): CreditsDay {
  const by_model = [{ model_id, model_tier: "standard", billable_tokens, input_tokens: 1, output_tokens: 1 }];
  const tokens = { input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_write_tokens: 0 };
  return { date, billable_tokens, ...tokens, by_model };
}

export const activityRows: fc.Arbitrary<ActivityRow[]> = listOf(
  fc.record({
    date,
    daily_active_users: count,
    weekly_active_users: count,
    monthly_active_users: count,
    daily_active_users_by_client: fc.dictionary(fc.constantFrom("web", "terminal-ui", "new\nclient"), count),
    sessions: count,
    messages: count,
    user_messages: count,
  }),
);

const ratio = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true }));

export const toolRows: fc.Arbitrary<ToolUsageRow[]> = listOf(
  fc.record({
    date,
    tool_calls: count,
    by_tool: listOf(fc.record({ tool: name, invocations: count })),
    mcp_users_with_mcp: count,
    mcp_by_server: listOf(fc.record({ server: name, invocations: count })),
    skills_invocations: count,
    skills_by_name: listOf(fc.record({ name, count })),
    slash_commands_invocations: count,
    slash_commands_by_name: listOf(fc.record({ name, count })),
    hooks_invocations: count,
    hooks_by_event: listOf(fc.record({ event: name, matcher: name, command: name, count })),
    web_users: count,
    autonomy_ratio_avg: count,
    autonomy_ratio_p50: count,
    autonomy_ratio_p90: count,
    tool_calls_per_session_avg: count,
    user_turns_per_session_avg: count,
    tool_autonomy_level_ratio: fc.record({ auto_high: ratio, auto_medium: ratio, auto_low: ratio, manual: ratio }),
  }),
);

export const productivityRows: fc.Arbitrary<ProductivityRow[]> = listOf(
  fc.record({
    date,
    files_created: count,
    files_edited: count,
    by_extension: listOf(fc.record({ extension: name, count })),
    by_language: listOf(fc.record({ language: name, count })),
    git_commits: count,
    git_prs_created: count,
  }),
);

export const userRows: fc.Arbitrary<UserRow[]> = listOf(
  fc.record({
    user_id: fc.constantFrom("u1", "u2", "u3", "__proto__"),
    user_email: fc.constantFrom(null, "ada@example.com", "ada@example.com\u202e"),
    date,
    tool_calls: count,
    billable_tokens: count,
    primary_model: name,
    primary_model_tier: fc.constantFrom("standard", "thinking"),
    files_created: count,
    files_edited: count,
    git_commits: count,
    git_prs_created: count,
    mcp_calls: count,
    skill_calls: count,
    slash_commands: count,
    hooks: count,
    sessions: count,
    messages: count,
    user_messages: count,
    assistant_messages: count,
    autonomy_ratio: ratio,
    delegation_level: fc.constantFrom("auto-high", "spec"),
    languages: fc.constant([]),
  }),
);

/** The sum of a measure over rows. */
export function sumOf<Row>(rows: readonly Row[], measure: (row: Row) => number): number {
  return rows.reduce((total, row) => total + measure(row), 0);
}

/** A report of `days` that lacks nothing, without parts. */
export const emptyReport: UsageReport = {
  organization: "org",
  period: { startDate: days[0], endDate: days[2] },
  days,
  madeAt: "2026-06-04T10:00:00.000Z",
  coverage: {},
};
