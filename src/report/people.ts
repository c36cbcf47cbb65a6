import type { UserRow } from "../service/schemas/user-row.ts";
import { shownName } from "./ranking.ts";

const measures = {
  credits: "billable_tokens",
  sessions: "sessions",
  messages: "messages",
  toolCalls: "tool_calls",
  commits: "git_commits",
  pullRequests: "git_prs_created",
} as const satisfies Record<string, keyof UserRow>;

/** Counts of a user, or of all of them together. */
export type UserCounts = { readonly [Measure in keyof typeof measures]: number };

/** What one user did in the period. */
export interface UserLine extends UserCounts {
  /** The e-mail address, or the id where there is none. */
  readonly name: string;
  /** Model and autonomy mode of most of the user's credits. */
  readonly model: string;
  readonly mode: string;
}

export interface People {
  /** Users of whom there is a row. */
  readonly users: number;
  /** Users who did anything. */
  readonly active: number;
  readonly totals: UserCounts;
  /** Those with most credits, most first. */
  readonly top: readonly UserLine[];
}

const topUsers = 25;
const names = Object.keys(measures) as (keyof typeof measures)[];
const zeros = (): Record<keyof typeof measures, number> =>
  Object.fromEntries(names.map((name) => [name, 0])) as Record<keyof typeof measures, number>;

/** Adds up `/users` row by row. It keeps something of every user, and nothing of a row. */
export class PeopleTally {
  readonly #users = new Map<string, UserTally>();

  add(row: UserRow): void {
    const user = this.#users.get(row.user_id) ?? newUser(row);
    this.#users.set(row.user_id, user);
    user.name = row.user_email ?? user.name;
    for (const name of names) user.counts[name] += row[measures[name]];
    count(user.models, row.primary_model, row.billable_tokens);
    count(user.modes, row.delegation_level, row.billable_tokens);
  }

  result(): People {
    const totals = zeros();
    let active = 0;
    for (const { counts } of this.#users.values()) {
      for (const name of names) totals[name] += counts[name];
      if (names.some((name) => counts[name] > 0)) active += 1;
    }
    const sorted = [...this.#users.values()].sort((a, b) => b.counts.credits - a.counts.credits);
    return { users: this.#users.size, active, totals, top: sorted.slice(0, topUsers).map(lineOf) };
  }
}

interface UserTally {
  name: string;
  readonly counts: Record<keyof typeof measures, number>;
  readonly models: Map<string, number>;
  readonly modes: Map<string, number>;
}

function newUser({ user_id, user_email }: UserRow): UserTally {
  return { name: user_email ?? user_id, counts: zeros(), models: new Map(), modes: new Map() };
}

function count(counts: Map<string, number>, key: string, value: number): void {
  counts.set(key, (counts.get(key) ?? 0) + value);
}

function lineOf({ name, counts, models, modes }: UserTally): UserLine {
  return { name: shownName(name), ...counts, model: mostOf(models), mode: mostOf(modes) };
}

function mostOf(counts: ReadonlyMap<string, number>): string {
  const [most = ["", 0]] = [...counts].sort(([, a], [, b]) => b - a);
  return shownName(most[0]);
}
