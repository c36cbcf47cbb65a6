import { dayText } from "./calendar.ts";
import { type Model, models, type Person } from "./people.ts";
import { shares } from "./random.ts";
import { makeUsage, type Usage } from "./usage.ts";

/** Adds up a measure of a day's usages. */
const total = (usages: readonly Usage[], measure: keyof Omit<Usage, "person">): number =>
  usages.reduce((sum, entry) => sum + entry[measure], 0);

/** Lists the usages of all users who worked on a day. */
export function listUsage(people: readonly Person[], day: number): Usage[] {
  return people.map((person) => makeUsage(person, day)).filter(({ sessions }) => sessions > 0);
}

/** Splits a usage's tokens by model: four fifths go to the primary model. */
function byModel(entry: Usage) {
  const modelRow = ({ id, tier }: Model, place: 0 | 1) => {
    const part = (count: number): number => shares(count, [4, 1])[place] ?? 0;
    return {
      model_id: id,
      model_tier: tier,
      billable_tokens: part(entry.billableTokens),
      input_tokens: part(entry.inputTokens),
      output_tokens: part(entry.outputTokens),
    };
  };
  return [modelRow(entry.person.primary, 0), modelRow(entry.person.secondary, 1)];
}

/** Adds up the tokens of a day's usages by model. */
function perModel(usages: readonly Usage[]) {
  const parts = usages.flatMap(byModel);
  return models.map(({ id, tier }) => {
    const own = parts.filter(({ model_id }) => model_id === id);
    const sum = (key: "billable_tokens" | "input_tokens" | "output_tokens") => own.reduce((a, b) => a + b[key], 0);
    return {
      model_id: id,
      model_tier: tier,
      billable_tokens: sum("billable_tokens"),
      input_tokens: sum("input_tokens"),
      output_tokens: sum("output_tokens"),
    };
  });
}

/** Makes the row of `/tokens` for a day. */
export function creditsRow(usages: readonly Usage[], day: number) {
  const input = total(usages, "inputTokens");
  return {
    date: dayText(day),
    billable_tokens: total(usages, "billableTokens"),
    input_tokens: input,
    output_tokens: total(usages, "outputTokens"),
    cache_read_tokens: Math.floor(input * 0.7),
    cache_write_tokens: Math.floor(input * 0.1),
    by_model: perModel(usages),
    by_user: usages.map((entry) => ({
      user_id: entry.person.id,
      user_email: entry.person.email,
      billable_tokens: entry.billableTokens,
      by_model: byModel(entry),
    })),
  };
}

/** Makes the rows of `/tokens` for a day, one for each model. */
export function creditsByModel(usages: readonly Usage[], day: number) {
  return perModel(usages).map(({ model_id, model_tier, ...counts }) => ({
    date: dayText(day),
    group_key: model_id,
    ...counts,
  }));
}

/** Makes the row of `/productivity` for a day. */
export function productivityRow(usages: readonly Usage[], day: number) {
  const edited = total(usages, "filesEdited");
  const [ts = 0, py = 0, go = 0] = shares(edited, [6, 3, 1]);
  return {
    date: dayText(day),
    files_created: total(usages, "filesCreated"),
    files_edited: edited,
    by_extension: [
      { extension: ".ts", count: ts },
      { extension: ".py", count: py },
      { extension: ".go", count: go },
    ],
    by_language: [
      { language: "TypeScript", count: ts },
      { language: "Python", count: py },
      { language: "Go", count: go },
    ],
    git_commits: total(usages, "commits"),
    git_prs_created: total(usages, "pullRequests"),
  };
}

/** Makes a user's row of `/users` for a day; on a day off it has zeros. */
export function userRow(person: Person, day: number) {
  const entry = makeUsage(person, day);
  return {
    user_id: person.id,
    user_email: person.email,
    date: dayText(day),
    tool_calls: entry.toolCalls,
    billable_tokens: entry.billableTokens,
    primary_model: person.primary.id,
    primary_model_tier: person.primary.tier,
    files_created: entry.filesCreated,
    files_edited: entry.filesEdited,
    git_commits: entry.commits,
    git_prs_created: entry.pullRequests,
    mcp_calls: entry.mcpCalls,
    skill_calls: entry.skillCalls,
    slash_commands: entry.slashCommands,
    hooks: entry.hooks,
    sessions: entry.sessions,
    messages: entry.userMessages + entry.assistantMessages,
    user_messages: entry.userMessages,
    assistant_messages: entry.assistantMessages,
    autonomy_ratio: entry.userMessages === 0 ? 0 : entry.toolCalls / entry.userMessages,
    delegation_level: person.delegation,
    languages: person.languages,
  };
}
