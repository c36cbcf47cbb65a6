import { dayMs, utcDay } from "../text/time.ts";
import { between, chance, pick } from "./random.ts";

/** A model that users choose. */
export interface Model {
  readonly id: string;
  readonly tier: "standard" | "thinking";
}

/** All models of the organization. */
export const models: readonly [Model, Model, Model] = [
  { id: "model-large", tier: "thinking" },
  { id: "model-medium", tier: "standard" },
  { id: "model-small", tier: "standard" },
];

const firstNames = ["Ada", "Björn", "Chidi", "Dana", "Emi", "Fatma", "Grete", "Hugo", "Ines", "José"] as const;
const lastNames = ["Okafor", "Lindqvist", "Tanaka", "Weber", "Silva", "Novák", "O'Brien", "Haddad"] as const;
const delegations = ["auto-high", "auto-medium", "auto-medium", "auto-low", "spec", "manual"] as const;
const clients = [["terminal-ui"], ["terminal-ui", "web"], ["web"], ["non-interactive-cli", "terminal-ui"]] as const;
const languages = [["TypeScript"], ["TypeScript", "Python"], ["Go", "Rust"], ["Java"], []] as const;

/** Makes the nth user, with habits. Ids in alphabetical order are in the order of the users' numbers. */
export function makePerson(index: number, seed = 0) {
  const id = `user_${String(index).padStart(6, "0")}`;
  const primary = between(0, 2, seed, index, 1);
  return {
    index,
    /** Seed of the service's data. */
    seed,
    id,
    /** E-mail address; null for about one user in 50. */
    email: chance(seed, index, 2) < 0.02 ? null : `${id}@example.com`,
    firstName: pick(firstNames, seed, index, 3),
    lastName: pick(lastNames, seed, index, 4),
    primary: models[primary] ?? models[0],
    secondary: models[(primary + 1) % models.length] ?? models[1],
    delegation: pick(delegations, seed, index, 5),
    clients: pick<readonly string[]>(clients, seed, index, 6),
    languages: pick<readonly string[]>(languages, seed, index, 7),
  };
}

/** A user of the organization. */
export type Person = ReturnType<typeof makePerson>;

/** Tells if a user worked on a day (counted from 1970): two of three do on weekdays, one of six on weekends. */
export function isActive({ seed, index }: Person, day: number): boolean {
  const weekday = (day + 4) % 7;
  return chance(seed, index, day, 10) < (weekday === 0 || weekday === 6 ? 1 / 6 : 2 / 3);
}

/** Makes a user's numbers on one day, by the API's names, all 0 on a day off. All other numbers of the service are sums of these. */
export function makeUsage(person: Person, day: number) {
  const on = isActive(person, day) ? 1 : 0;
  const count = (min: number, max: number, salt: number) =>
    on * between(min, max, person.seed, person.index, day, salt);
  const sessions = count(1, 5, 11);
  const prompts = sessions * count(2, 8, 12);
  const calls = prompts * count(1, 6, 13);
  const [input, output] = [calls * count(2_000, 9_000, 14), calls * count(100, 700, 15)];
  return {
    person,
    sessions,
    user_messages: prompts,
    assistant_messages: prompts + calls,
    tool_calls: calls,
    mcp_calls: Math.floor(calls * (person.index % 3 === 0 ? 0.1 : 0)),
    skill_calls: count(0, 3, 16),
    slash_commands: count(0, 4, 17),
    hooks: count(0, 9, 18),
    input_tokens: input,
    output_tokens: output,
    billable_tokens: Math.round(input * 0.4 + output * 2),
    files_created: count(0, 4, 19),
    files_edited: count(0, 15, 20),
    git_commits: count(0, 5, 21),
    git_prs_created: count(0, 1, 22),
  };
}

/** A user's numbers on one day. */
export type Usage = ReturnType<typeof makeUsage>;

/** Counts the days from 1970 to a `YYYY-MM-DD`. */
export function dayNumber(day: string): number {
  return Date.parse(day) / dayMs;
}

/** Formats a day, counted from 1970, as `YYYY-MM-DD`. */
export function toDayText(day: number): string {
  return utcDay(day * dayMs);
}
