import type { Person } from "./people.ts";
import { between, chance } from "./random.ts";

/** A user's numbers on one day; on a day off every count is 0. */
export interface Usage {
  readonly person: Person;
  readonly sessions: number;
  readonly userMessages: number;
  readonly assistantMessages: number;
  readonly toolCalls: number;
  readonly mcpCalls: number;
  readonly skillCalls: number;
  readonly slashCommands: number;
  readonly hooks: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly billableTokens: number;
  readonly filesCreated: number;
  readonly filesEdited: number;
  readonly commits: number;
  readonly pullRequests: number;
}

/** Tells if a user worked on a day (counted from 1970): two of three do on weekdays, one of six on weekends. */
export function isActive({ seed, index }: Person, day: number): boolean {
  const weekday = (day + 4) % 7;
  return chance(seed, index, day, 10) < (weekday === 0 || weekday === 6 ? 1 / 6 : 2 / 3);
}

/** Makes a user's numbers on one day. All other numbers of the service are sums of these. */
export function makeUsage(person: Person, day: number): Usage {
  const on = isActive(person, day) ? 1 : 0;
  const count = (min: number, max: number, salt: number) =>
    on * between(min, max, person.seed, person.index, day, salt);
  const sessions = count(1, 5, 11);
  const userMessages = sessions * count(2, 8, 12);
  const toolCalls = userMessages * count(1, 6, 13);
  const inputTokens = toolCalls * count(2_000, 9_000, 14);
  const outputTokens = toolCalls * count(100, 700, 15);
  return {
    person,
    sessions,
    userMessages,
    assistantMessages: userMessages + toolCalls,
    toolCalls,
    mcpCalls: Math.floor(toolCalls * (person.index % 3 === 0 ? 0.1 : 0)),
    skillCalls: count(0, 3, 16),
    slashCommands: count(0, 4, 17),
    hooks: count(0, 9, 18),
    inputTokens,
    outputTokens,
    billableTokens: Math.round(inputTokens * 0.4 + outputTokens * 2),
    filesCreated: count(0, 4, 19),
    filesEdited: count(0, 15, 20),
    commits: count(0, 5, 21),
    pullRequests: count(0, 1, 22),
  };
}
