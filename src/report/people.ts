import type { UserRow } from "../service/schemas/analytics.ts";
import { shownName, showUser } from "./ranking.ts";

const measures = {
  credits: "billable_tokens",
  sessions: "sessions",
  messages: "messages",
  toolCalls: "tool_calls",
  commits: "git_commits",
  pullRequests: "git_prs_created",
} as const satisfies Record<string, keyof UserRow>;

/** Counts of one user, or of all users together. */
export type UserCounts = { readonly [Measure in keyof typeof measures]: number };

/** One user's numbers in the period. */
export interface UserLine extends UserCounts {
  /** E-mail address, or the id of a user without an address. */
  readonly name: string;
  /** Model on which the user spent the most credits. */
  readonly model: string;
  /** Autonomy mode in which the user spent the most credits. */
  readonly mode: string;
}

/** Numbers of the organization's users in the period. */
export interface People {
  /** Number of users with a row. */
  readonly users: number;
  /** Number of users with any count above 0. */
  readonly active: number;
  readonly totals: UserCounts;
  /** Users with the most credits, in descending order. */
  readonly top: readonly UserLine[];
  /** Number of the users not in `top`, and the sums of their counts. */
  readonly rest: { readonly users: number } & UserCounts;
}

/** Options for listing users. */
export interface Listing {
  /** Maximum number of users in the list. */
  readonly top: number;
  /** False shows `User 1`, `User 2` … instead of names and email addresses. */
  readonly isNamed: boolean;
}
export const defaultListing: Listing = { top: 25, isNamed: true };

const names = Object.keys(measures) as (keyof typeof measures)[];
const zeros = (): Record<keyof typeof measures, number> =>
  Object.fromEntries(names.map((name) => [name, 0])) as Record<keyof typeof measures, number>;

const talliedFields = [
  "user_id",
  "user_email",
  "primary_model",
  "delegation_level",
  ...Object.values(measures),
] as const;
/** Fields of a row of `/users` that are added up. */
export type TalliedRow = Pick<UserRow, (typeof talliedFields)[number]>;

/** Picks the fields that are added up, because a report keeps all rows of its users. */
export function trimUserRow(row: UserRow): TalliedRow {
  return Object.fromEntries(talliedFields.map((field) => [field, row[field]])) as TalliedRow;
}

/** Adds up rows of `/users` one by one. */
export class PeopleTally {
  readonly #users = new Map<string, UserTally>();

  add(row: TalliedRow): void {
    const id = row.user_id || (row.user_email ?? "");
    const user = this.#users.get(id) ?? {
      name: showUser("", id),
      counts: zeros(),
      models: new Map(),
      modes: new Map(),
    };
    this.#users.set(id, user);
    user.name = showUser(row.user_email, user.name);
    for (const name of names) user.counts[name] += row[measures[name]];
    count(user.models, row.primary_model, row.billable_tokens);
    count(user.modes, row.delegation_level, row.billable_tokens);
  }

  result({ top, isNamed }: Listing = defaultListing): People {
    const sorted = [...this.#users.values()].sort((a, b) => b.counts.credits - a.counts.credits);
    const others = sorted.slice(top);
    const lines = sorted.slice(0, top).map(buildLine);
    return {
      users: sorted.length,
      active: this.activeIds().size,
      totals: sumCounts(sorted),
      top: isNamed ? lines : lines.map((line, index) => ({ ...line, name: `User ${index + 1}` })),
      rest: { users: others.length, ...sumCounts(others) },
    };
  }

  /** Collects the ids of users with any count above 0. */
  activeIds(): Set<string> {
    return new Set(
      [...this.#users].flatMap(([id, { counts }]) => (names.some((name) => counts[name] > 0) ? [id] : [])),
    );
  }
}

function sumCounts(users: readonly UserTally[]): UserCounts {
  const totals = zeros();
  for (const { counts } of users) for (const name of names) totals[name] += counts[name];
  return totals;
}

interface UserTally {
  name: string;
  readonly counts: Record<keyof typeof measures, number>;
  readonly models: Map<string, number>;
  readonly modes: Map<string, number>;
}

function count(counts: Map<string, number>, key: string, value: number): void {
  counts.set(key, (counts.get(key) ?? 0) + value);
}

function buildLine({ name, counts, models, modes }: UserTally): UserLine {
  return { name, ...counts, model: findMost(models), mode: findMost(modes) };
}

function findMost(counts: ReadonlyMap<string, number>): string {
  const [most = ["", 0]] = [...counts].sort(([, a], [, b]) => b - a);
  return shownName(most[0]);
}
