import { clientTypes } from "../service/schemas/analytics.ts";
import { isActive, type Model, makeUsage, models, type Person, toDayText, type Usage } from "./people.ts";
import { shares } from "./random.ts";

/** Adds up a measure of a day's usages. */
const total = (usages: readonly Usage[], measure: keyof Omit<Usage, "person">): number =>
  usages.reduce((sum, entry) => sum + entry[measure], 0);

const tokenFields = ["billable_tokens", "input_tokens", "output_tokens"] as const;
type TokenField = (typeof tokenFields)[number];

function countTokens(count: (field: TokenField) => number): Readonly<Record<TokenField, number>> {
  return Object.fromEntries(tokenFields.map((field) => [field, count(field)])) as Record<TokenField, number>;
}

/** Lists the usages of all users who worked on a day. */
export function listUsage(people: readonly Person[], day: number): Usage[] {
  return people.map((person) => makeUsage(person, day)).filter(({ sessions }) => sessions > 0);
}

/** Splits a usage's tokens by model: four fifths go to the primary model. */
function byModel(entry: Usage) {
  const modelRow = ({ id, tier }: Model, place: 0 | 1) => ({
    model_id: id,
    model_tier: tier,
    ...countTokens((field) => shares(entry[field], [4, 1])[place] ?? 0),
  });
  return [modelRow(entry.person.primary, 0), modelRow(entry.person.secondary, 1)];
}

/** Adds up the tokens of a day's usages by model. */
function perModel(usages: readonly Usage[]) {
  const parts = usages.flatMap(byModel);
  return models.map(({ id, tier }) => {
    const own = parts.filter(({ model_id }) => model_id === id);
    return {
      model_id: id,
      model_tier: tier,
      ...countTokens((field) => own.reduce((sum, part) => sum + part[field], 0)),
    };
  });
}

/** Makes the row of `/tokens` for a day, without its date like the other rows of a day. */
export function creditsRow(usages: readonly Usage[]) {
  const counts = countTokens((field) => total(usages, field));
  return {
    ...counts,
    cache_read_tokens: Math.floor(counts.input_tokens * 0.7),
    cache_write_tokens: Math.floor(counts.input_tokens * 0.1),
    by_model: perModel(usages),
    by_user: usages.map((entry) => ({
      user_id: entry.person.id,
      user_email: entry.person.email,
      billable_tokens: entry.billable_tokens,
      by_model: byModel(entry),
    })),
  };
}

/** Makes the rows of `/tokens` for a day, one for each model. */
export function creditsByModel(usages: readonly Usage[]) {
  return perModel(usages).map(({ model_id, model_tier: _, ...counts }) => ({ group_key: model_id, ...counts }));
}

/** Makes the row of `/productivity` for a day. */
export function productivityRow(usages: readonly Usage[]) {
  const edited = total(usages, "files_edited");
  const parts = shares(edited, [6, 3, 1]);
  return {
    files_created: total(usages, "files_created"),
    files_edited: edited,
    by_extension: [".ts", ".py", ".go"].map((extension, n) => ({ extension, count: parts[n] ?? 0 })),
    by_language: ["TypeScript", "Python", "Go"].map((language, n) => ({ language, count: parts[n] ?? 0 })),
    git_commits: total(usages, "git_commits"),
    git_prs_created: total(usages, "git_prs_created"),
  };
}

/** Makes a user's row of `/users` for a day; on a day off it has zeros. */
export function userRow(person: Person, day: number) {
  const { person: _, input_tokens: __, output_tokens: ___, ...counts } = makeUsage(person, day);
  return {
    user_id: person.id,
    user_email: person.email,
    date: toDayText(day),
    ...counts,
    messages: counts.user_messages + counts.assistant_messages,
    primary_model: person.primary.id,
    primary_model_tier: person.primary.tier,
    autonomy_ratio: ratio(counts.tool_calls, counts.user_messages),
    delegation_level: person.delegation,
    languages: person.languages,
  };
}

/** Counts the users active on any of the `length` days that end with `day`. */
function activeWithin(people: readonly Person[], day: number, length: number): number {
  return people.filter((person) => Array.from({ length }, (_, n) => day - n).some((item) => isActive(person, item)))
    .length;
}

const usesClient = (usages: readonly Usage[], client: string): number =>
  usages.filter(({ person }) => person.clients.includes(client)).length;

/** Makes the row of `/activity` for a day. */
export function activityRow(usages: readonly Usage[], day: number, people: readonly Person[]) {
  const prompts = total(usages, "user_messages");
  return {
    daily_active_users: usages.length,
    weekly_active_users: activeWithin(people, day, 7),
    monthly_active_users: activeWithin(people, day, 30),
    daily_active_users_by_client: Object.fromEntries(clientTypes.map((client) => [client, usesClient(usages, client)])),
    sessions: total(usages, "sessions"),
    messages: prompts + total(usages, "assistant_messages"),
    user_messages: prompts,
  };
}

/** Makes the rows of `/activity` for a day, one for each client. */
export function activityByClient(usages: readonly Usage[]) {
  return clientTypes.map((client) => ({ group_key: client, daily_active_users: usesClient(usages, client) }));
}

/** Names of tools. One of them is a parsing artifact, as documented. */
const tools = ["Read", "Edit", "Execute", "Grep", "LS", 'Read</invoke name="'] as const;
const toolWeights = [40, 25, 20, 10, 5, 0.006] as const;

const byTool = (calls: number) =>
  shares(calls, toolWeights).map((invocations, n) => ({ tool: tools[n] ?? "", invocations }));

/** Splits `count` among names. */
const named = (count: number, names: readonly string[]) =>
  shares(
    count,
    names.map((_, n) => names.length - n),
  ).map((part, n) => ({ name: names[n] ?? "", count: part }));

/** Divides `count` by `shareOf`; 0 if `shareOf` is 0. */
const ratio = (count: number, shareOf: number): number => (shareOf === 0 ? 0 : count / shareOf);

function quantile(sorted: readonly number[], at: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? 0;
}

/** Makes the row of `/tools` for a day. */
export function toolUsageRow(usages: readonly Usage[]) {
  const calls = total(usages, "tool_calls");
  const sessions = total(usages, "sessions");
  const turns = total(usages, "user_messages");
  const ratios = usages.map((entry) => ratio(entry.tool_calls, entry.user_messages)).sort((a, b) => a - b);
  const mcp = shares(total(usages, "mcp_calls"), [5, 2, 1]);
  const skills = total(usages, "skill_calls");
  const slashes = total(usages, "slash_commands");
  const hooks = total(usages, "hooks");
  const hookCommands = named(hooks, ["PostToolUse", "Stop", "Notification"]);
  const level = (name: string) => {
    const own = usages.filter(({ person }) => person.delegation === name);
    return ratio(total(own, "tool_calls"), calls);
  };
  return {
    tool_calls: calls,
    by_tool: byTool(calls),
    mcp_users_with_mcp: usages.filter((entry) => entry.mcp_calls > 0).length,
    // One server appears twice, with different case, as documented.
    mcp_by_server: ["Tracker", "tracker", "docs"].map((server, n) => ({ server, invocations: mcp[n] ?? 0 })),
    skills_invocations: skills,
    skills_by_name: named(skills, ["review", "release-notes"]),
    slash_commands_invocations: slashes,
    slash_commands_by_name: named(slashes, ["/review", "/compact", "/model"]),
    hooks_invocations: hooks,
    hooks_by_event: hookCommands.map(({ name, count }) => ({
      event: name,
      matcher: name === "PostToolUse" ? "Edit|Write" : "",
      command: `~/.beckon/hook ${name}`,
      count,
    })),
    web_users: usages.filter(({ person }) => person.clients.includes("web")).length,
    autonomy_ratio_avg: ratio(calls, turns),
    autonomy_ratio_p50: quantile(ratios, 0.5),
    autonomy_ratio_p90: quantile(ratios, 0.9),
    tool_calls_per_session_avg: ratio(calls, sessions),
    user_turns_per_session_avg: ratio(turns, sessions),
    tool_autonomy_level_ratio: {
      auto_high: level("auto-high"),
      auto_medium: level("auto-medium"),
      auto_low: level("auto-low"),
      manual: 1 - level("auto-high") - level("auto-medium") - level("auto-low"),
    },
  };
}

/** Makes the rows of `/tools` for a day, one for each tool. */
export function toolUsageByTool(usages: readonly Usage[]) {
  return byTool(total(usages, "tool_calls")).map(({ tool, invocations }) => ({
    group_key: tool,
    tool_calls: invocations,
  }));
}
