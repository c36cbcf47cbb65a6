import { dayNumber, isActive, makePerson, makeUsage, type Person, type Usage } from "../../src/fake-service/people.ts";

/** The figures of the sandbox's organization, added up from each user's activity, without rows, client or report. */

/** Days with rows for each part, as `YYYY-MM-DD`; the service refuses a part without days. */
export type DaysOfParts = Readonly<Record<Part, readonly string[]>>;
type Part = "credits" | "activity" | "toolUse" | "productivity" | "people";

/** Activity of the users who worked on a day. */
type Day = readonly Usage[];

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number | undefined => divided(sum(values), values.length);
const divided = (value: number, by: number): number | undefined => (by === 0 ? undefined : value / by);
const computeTotal = (days: readonly Day[], count: (item: Usage) => number): number | undefined =>
  days.length === 0 ? undefined : sum(days.map((day) => sum(day.map(count))));

function buildDays(people: readonly Person[], days: readonly string[]): Day[] {
  return days.map((day) =>
    people.map((item) => makeUsage(item, dayNumber(day))).filter(({ sessions }) => sessions > 0),
  );
}

function activeIn(people: readonly Person[], last: string | undefined, length: number): number | undefined {
  const end = last === undefined ? undefined : dayNumber(last);
  if (end === undefined) return undefined;
  const days = Array.from({ length }, (_, index) => end - index);
  return people.filter((person) => days.some((day) => isActive(person, day))).length;
}

/** Returns the quantile of the tool calls per message of the day's users. */
function quantile(day: Day, share: number): number {
  const ratios = day.map(({ tool_calls, user_messages }) => tool_calls / user_messages).sort((a, b) => a - b);
  return ratios[Math.min(ratios.length - 1, Math.floor(ratios.length * share))] ?? 0;
}

/** Computes every figure by its id; undefined without data. */
export function expectedFigures(users: number, parts: DaysOfParts): Record<string, number | undefined> {
  const people = Array.from({ length: users }, (_, index) => makePerson(index));
  const of = (part: Part): Day[] => buildDays(people, parts[part]);
  const common = (a: Part, b: Part): Day[] => {
    const both = parts[a].filter((day) => parts[b].includes(day));
    return buildDays(people, both);
  };
  const [credits, activity, toolUse] = [of("credits"), of("activity"), of("toolUse")];
  const [productivity, own] = [of("productivity"), of("people")];
  const billed = ({ billable_tokens }: Usage): number => billable_tokens;
  const pulled = ({ git_prs_created }: Usage): number => git_prs_created;
  const calls = ({ tool_calls }: Usage): number => tool_calls;
  const prompts = ({ user_messages }: Usage): number => user_messages;
  const runs = ({ sessions }: Usage): number => sessions;
  const input = credits.map((day) => sum(day.map(({ input_tokens }) => input_tokens)));
  const cacheRead = sum(input.map((tokens) => Math.floor(tokens * 0.7)));
  const countPeople = (of: readonly Day[]): number =>
    new Set(of.flatMap((day) => day.map((item) => item.person.id))).size;
  const active = countPeople(own);
  const withPeople = common("credits", "people");
  const creditsByUser = new Map<string, number>();
  for (const { person: user, billable_tokens } of own.flat())
    creditsByUser.set(user.id, (creditsByUser.get(user.id) ?? 0) + billable_tokens);
  const spread = [...creditsByUser.values()].sort((a, b) => b - a);
  const middle = [(spread.length - 1) / 2, spread.length / 2].map(Math.floor).map((n) => spread[n] ?? 0);
  const isKnown = parts.people.length > 0;
  const rate = (count: (day: Day) => number): number | undefined => mean(toolUse.map(count));
  const quotient = (of: readonly Day[], a: (item: Usage) => number, b: (item: Usage) => number) =>
    divided(computeTotal(of, a) ?? 0, computeTotal(of, b) ?? 0);
  return {
    credits: computeTotal(credits, billed),
    active_users: isKnown ? active : undefined,
    sessions: computeTotal(activity, ({ sessions }) => sessions),
    tool_calls: computeTotal(toolUse, ({ tool_calls }) => tool_calls),
    commits: computeTotal(productivity, ({ git_commits }) => git_commits),
    pull_requests: computeTotal(productivity, pulled),
    input_tokens: computeTotal(credits, ({ input_tokens }) => input_tokens),
    output_tokens: computeTotal(credits, ({ output_tokens }) => output_tokens),
    cache_read_tokens: credits.length === 0 ? undefined : cacheRead,
    cache_write_tokens: credits.length === 0 ? undefined : sum(input.map((tokens) => Math.floor(tokens * 0.1))),
    cache_share: divided(cacheRead, sum(input)),
    active_share: isKnown ? active / users : undefined,
    idle_seats: isKnown ? users - active : undefined,
    daily_active_users: mean(activity.map((day) => day.length)),
    weekly_active_users: activeIn(people, parts.activity.at(-1), 7),
    monthly_active_users: activeIn(people, parts.activity.at(-1), 30),
    mcp_users: rate((day) => day.filter(({ mcp_calls }) => mcp_calls > 0).length),
    web_users: rate((day) => day.filter((item) => item.person.clients.includes("web")).length),
    credits_per_active_user: divided(computeTotal(withPeople, billed) ?? 0, countPeople(withPeople)),
    credits_per_session: quotient(common("credits", "activity"), billed, runs),
    credits_per_pull_request: quotient(common("credits", "productivity"), billed, pulled),
    credits_median: isKnown ? sum(middle) / 2 : undefined,
    top_tenth_share: divided(sum(spread.slice(0, Math.ceil(spread.length / 10))), sum(spread)),
    autonomy_avg: quotient(common("toolUse", "activity"), calls, prompts),
    autonomy_p50: rate((day) => quantile(day, 0.5)),
    autonomy_p90: rate((day) => quantile(day, 0.9)),
    tool_calls_per_session: quotient(common("toolUse", "activity"), calls, runs),
    prompts_per_session: quotient(activity, prompts, runs),
  };
}
