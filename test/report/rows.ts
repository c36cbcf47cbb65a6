import fc from "fast-check";
import { Directory } from "../../src/report/directory.ts";
import type { CreditsDay } from "../../src/report/parts.ts";
import {
  summarizeActivity,
  summarizeCredits,
  summarizeProductivity,
  summarizeToolUse,
} from "../../src/report/parts.ts";
import { buildPeople, defaultListing, type Listing, type People, PeopleTally } from "../../src/report/people.ts";
import type { UsageReport } from "../../src/report/report.ts";
import type { ActivityRow, ProductivityRow, ToolUsageRow, UserRow } from "../../src/service/schemas/analytics.ts";

/** Days of the reports made here. */
export const days = ["2026-06-01", "2026-06-02", "2026-06-03"] as const;

const date = fc.constantFrom(...days);
const count = fc.nat(1_000_000_000);
/** Hostile names. All names together are so few that they repeat. */
const hostile = ["", "\u202eevil", "</script><img onerror=x>", "__proto__", "x".repeat(10_000)];
const names = fc.constantFrom("Read", "read", "Edit", ...hostile);
const name = fc.oneof(names, fc.string({ unit: "binary", maxLength: 8 }));
const arbitraryList = <Item>(item: fc.Arbitrary<Item>) => fc.array(item, { maxLength: 12 });

/** Makes a generator of counts, one for each of these names. */
const counts = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((each) => [each, count])) as Record<Name, typeof count>;
const model_tier = fc.constantFrom("standard", "thinking");
const inAndOut = counts("input_tokens", "output_tokens");
const model = fc.record({ model_id: name, model_tier, billable_tokens: count, ...inAndOut });

/** Generators of the token counts of a day. */
const tokens = { ...inAndOut, ...counts("cache_read_tokens", "cache_write_tokens") };
/** Generator of rows whose credits are the sum of their models' credits. */
export const creditsRows: fc.Arbitrary<CreditsDay[]> = arbitraryList(
  fc.record({ date, ...tokens, by_model: arbitraryList(model) }).map((row) => {
    return { ...row, billable_tokens: sumBy(row.by_model, (modelRow) => modelRow.billable_tokens) };
  }),
);

/** Makes the row of a day whose credits are all of one model. */
export function creditsRow(date: string, model_id: string, billable_tokens: number): CreditsDay {
  const by_model = [{ model_id, model_tier: "standard", billable_tokens, input_tokens: 1, output_tokens: 1 }];
  const tokens = { input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_write_tokens: 0 };
  return { date, billable_tokens, ...tokens, by_model };
}

export const activityRows: fc.Arbitrary<ActivityRow[]> = arbitraryList(
  fc.record({
    date,
    ...counts("daily_active_users", "weekly_active_users", "monthly_active_users"),
    ...counts("sessions", "messages", "user_messages"),
    daily_active_users_by_client: fc.dictionary(fc.constantFrom("web", "terminal-ui", "new\nclient"), count),
  }),
);

const ratio = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true }));

export const toolRows: fc.Arbitrary<ToolUsageRow[]> = arbitraryList(
  fc.record({
    date,
    ...counts("tool_calls", "mcp_users_with_mcp", "skills_invocations", "slash_commands_invocations"),
    ...counts("hooks_invocations", "web_users", "autonomy_ratio_avg", "autonomy_ratio_p50", "autonomy_ratio_p90"),
    ...counts("tool_calls_per_session_avg", "user_turns_per_session_avg"),
    by_tool: arbitraryList(fc.record({ tool: name, invocations: count })),
    mcp_by_server: arbitraryList(fc.record({ server: name, invocations: count })),
    skills_by_name: arbitraryList(fc.record({ name, count })),
    slash_commands_by_name: arbitraryList(fc.record({ name, count })),
    hooks_by_event: arbitraryList(fc.record({ event: name, matcher: name, command: name, count })),
    tool_autonomy_level_ratio: fc.record({ auto_high: ratio, auto_medium: ratio, auto_low: ratio, manual: ratio }),
  }),
);

export const productivityRows: fc.Arbitrary<ProductivityRow[]> = arbitraryList(
  fc.record({
    date,
    ...counts("files_created", "files_edited", "git_commits", "git_prs_created"),
    by_extension: arbitraryList(fc.record({ extension: name, count })),
    by_language: arbitraryList(fc.record({ language: name, count })),
  }),
);

/** A user's row of the first day with zero counts. */
export const quietUser: UserRow = {
  ...{ user_id: "u1", user_email: null, date: days[0], languages: [], autonomy_ratio: 0 },
  ...{ primary_model: "model", primary_model_tier: "standard", delegation_level: "manual" },
  ...{ tool_calls: 0, billable_tokens: 0, files_created: 0, files_edited: 0, git_commits: 0, git_prs_created: 0 },
  ...{ mcp_calls: 0, skill_calls: 0, slash_commands: 0, hooks: 0 },
  ...{ sessions: 0, messages: 0, user_messages: 0, assistant_messages: 0 },
};

export const userRows: fc.Arbitrary<UserRow[]> = arbitraryList(
  fc.record({
    user_id: fc.constantFrom("u1", "u2", "u3", "__proto__"),
    user_email: fc.constantFrom(null, "ada@example.com", "ada@example.com\u202e"),
    date,
    ...counts("tool_calls", "billable_tokens", "files_created", "files_edited", "git_commits", "git_prs_created"),
    ...counts("mcp_calls", "skill_calls", "slash_commands", "hooks"),
    ...counts("sessions", "messages", "user_messages", "assistant_messages"),
    primary_model: name,
    primary_model_tier: model_tier,
    autonomy_ratio: ratio,
    delegation_level: fc.constantFrom("auto-high", "spec"),
    languages: fc.constant([]),
  }),
);

/** Adds up a measure over rows. */
export function sumBy<Row>(rows: readonly Row[], measure: (row: Row) => number): number {
  return rows.reduce((total, row) => total + measure(row), 0);
}

/** Sums up users from their rows, as a report of `days` would. */
export function tallyPeople(rows: readonly UserRow[], listing: Listing = defaultListing): People {
  const tally = new PeopleTally(days);
  for (const row of rows) tally.add(row);
  const users = tally.list(new Directory([], tally.listLabels()));
  const counted = { users, byDay: tally.sumDays(), activeWithCredits: tally.countActive(days, users) };
  return buildPeople(counted, listing);
}

/** Rows of a report by its parts. */
interface ReportRows {
  readonly credits?: readonly CreditsDay[];
  readonly activity?: readonly ActivityRow[];
  readonly tools?: readonly ToolUsageRow[];
  readonly productivity?: readonly ProductivityRow[];
  readonly users?: readonly UserRow[];
}

/** Makes the report of `days` with a part for each kind of rows. */
export function summarizeRows({ credits = [], activity = [], tools = [], productivity = [], users = [] }: ReportRows) {
  return {
    ...emptyReport,
    credits: summarizeCredits(credits, days),
    activity: summarizeActivity(activity, days),
    toolUse: summarizeToolUse(tools, days),
    productivity: summarizeProductivity(productivity, days),
    people: tallyPeople(users),
  };
}

/** A complete report of `days` without parts. */
export const emptyReport: UsageReport = {
  ...{ organization: "org", days, madeAt: "2026-06-04T10:00:00.000Z", coverage: {} },
  period: { startDate: days[0], endDate: days[2] },
};
