import type { UserRow } from "../service/schemas/analytics.ts";
import type { Directory, UserLabels } from "./directory.ts";
import { cleanAddress, shownName, showUser } from "./ranking.ts";

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
  /** Number of users active on days for which the credits of the organization are known. */
  readonly activeWithCredits: number;
  readonly totals: UserCounts;
  /** Users with the most credits, in descending order. */
  readonly top: readonly UserLine[];
  /** Number of the users not in `top`, and the sums of their counts. */
  readonly rest: { readonly users: number } & UserCounts;
  readonly byDay: DaySums;
  /** Distribution of credits over the active users; absent if they used no credits. */
  readonly spread?: Spread;
}

/** Distribution of credits over the active users. */
interface Spread {
  /** Median of the credits of active users. */
  readonly median: number;
  /**
   * Share of all credits, from 0 to 1, used by the 10% of users with the most credits. The number of users is rounded
   * up.
   */
  readonly topTenthShare: number;
}

/** Options for listing users. */
export interface Listing {
  /** Maximum number of users in the list. */
  readonly top: number;
  /** False shows `User 1`, `User 2` … instead of names and email addresses. */
  readonly isNamed: boolean;
}
export const defaultListing: Listing = { top: 25, isNamed: true };

/** Maps the id of each user to the name to show: the real name, or a number in the order of credits. */
export function nameUsers(users: readonly UserTotals[], { isNamed }: Listing): Map<string, string> {
  return new Map(users.map(({ id, name }, index) => [id, isNamed ? name : `User ${index + 1}`]));
}

/**
 * Sums up users, and lists those with the most credits.
 * @param facts what is known only after all rows; users by descending credits
 */
export function buildPeople(
  { users, ...facts }: Pick<People, "byDay" | "activeWithCredits"> & { readonly users: readonly UserTotals[] },
  listing: Listing,
): People {
  const shownNames = nameUsers(users, listing);
  const others = users.slice(listing.top);
  const active = users.filter(({ isActive }) => isActive);
  const spread = measureSpread(active.map(({ counts }) => counts.credits));
  return {
    users: users.length,
    active: active.length,
    totals: sumCounts(users),
    top: users.slice(0, listing.top).map(({ id, counts, model, mode }) => {
      return { name: shownNames.get(id) ?? "", ...counts, model, mode };
    }),
    rest: { users: others.length, ...sumCounts(others) },
    ...facts,
    ...(spread && { spread }),
  };
}

/** Adds up the counts of users. */
export function sumCounts(users: readonly Pick<UserTotals, "counts">[]): UserCounts {
  const sums = userMeasures.map((name) => [name, users.reduce((total, { counts }) => total + counts[name], 0)]);
  return Object.fromEntries(sums) as UserCounts;
}

function measureSpread(credits: readonly number[]): Spread | undefined {
  const sorted = credits.toSorted((a, b) => b - a);
  const total = sorted.reduce((sum, value) => sum + value, 0);
  if (total === 0) return undefined;
  const middle = sorted.length / 2;
  const median = ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
  const tenth = sorted.slice(0, Math.ceil(sorted.length / 10)).reduce((sum, value) => sum + value, 0);
  return { median, topTenthShare: tenth / total };
}

const fields = {
  credits: "billable_tokens",
  sessions: "sessions",
  messages: "messages",
  toolCalls: "tool_calls",
  commits: "git_commits",
  pullRequests: "git_prs_created",
} as const satisfies Record<string, keyof UserRow>;

/** Counts of one user, or of all users together. */
export type UserCounts = { readonly [Measure in keyof typeof fields]: number };
type MutableCounts = { -readonly [Measure in keyof UserCounts]: number };

/** Sums over all users for each day of the report; null for a day without rows. */
type DaySums = { readonly [Measure in keyof UserCounts]: readonly (number | null)[] };

/** Names of the counts. */
const userMeasures = Object.keys(fields) as (keyof UserCounts)[];
const zeros = (): MutableCounts => Object.fromEntries(userMeasures.map((name) => [name, 0])) as MutableCounts;

const talliedFields = [
  "date",
  "user_id",
  "user_email",
  "primary_model",
  "delegation_level",
  ...Object.values(fields),
] as const;
/** Fields of a row of `/users` that are added up. */
export type TalliedRow = Pick<UserRow, (typeof talliedFields)[number]>;

/** Picks the fields that are added up, because all rows of a request are kept until its last row has arrived. */
export function trimUserRow(row: UserRow): TalliedRow {
  return Object.fromEntries(talliedFields.map((field) => [field, row[field]])) as TalliedRow;
}

/** Sums of one user over the period. */
export interface UserTotals extends Pick<UserLine, "name" | "model" | "mode"> {
  /** Key of the user in the directory. */
  readonly id: string;
  /** E-mail addresses in lower case. */
  readonly addresses: readonly string[];
  /** True for a current user of the organization. */
  readonly isCurrent: boolean;
  readonly counts: UserCounts;
  /** True if any count is above 0. */
  readonly isActive: boolean;
  /** One element per day of the report: 1 if the user was active on that day, else 0. */
  readonly activeDays: Uint8Array;
}

interface UserTally extends Pick<UserTotals, "id" | "activeDays"> {
  name: string;
  readonly addresses: Set<string>;
  readonly counts: MutableCounts;
  readonly models: Map<string, number>;
  readonly modes: Map<string, number>;
}

/** Adds up rows of `/users` one by one. Memory grows with the users, not with the rows. */
export class PeopleTally {
  readonly #users = new Map<string, UserTally>();
  readonly #days: ReadonlyMap<string, number>;
  readonly #sums: (MutableCounts | undefined)[] = [];

  /** @param days days of the report, oldest first */
  constructor(days: readonly string[] = []) {
    this.#days = new Map(days.map((day, index) => [day, index]));
  }

  add(row: TalliedRow): void {
    const user = this.#findUser(row);
    const day = this.#days.get(row.date);
    const sums = day === undefined ? undefined : (this.#sums[day] ?? zeros());
    if (day !== undefined) this.#sums[day] = sums;
    for (const name of userMeasures) {
      const value = row[fields[name]];
      user.counts[name] += value;
      if (sums) sums[name] += value;
      if (day !== undefined && value > 0) user.activeDays[day] = 1;
    }
    count(user.models, row.primary_model, row.billable_tokens);
    count(user.modes, row.delegation_level, row.billable_tokens);
  }

  #findUser({ user_id, user_email }: TalliedRow): UserTally {
    const id = user_id || (user_email ?? "");
    const user = this.#users.get(id) ?? this.#createUser(user_id, showUser("", id));
    this.#users.set(id, user);
    user.name = showUser(user_email, user.name);
    if (user_email) user.addresses.add(cleanAddress(user_email));
    return user;
  }

  #createUser(id: string, name: string): UserTally {
    const activeDays = new Uint8Array(this.#days.size);
    return { id, name, addresses: new Set(), counts: zeros(), models: new Map(), modes: new Map(), activeDays };
  }

  /** Lists the ids and addresses of all users. */
  listLabels(): UserLabels[] {
    return [...this.#users.values()];
  }

  /** Adds up the rows of each person, whose rows may have several ids. */
  #join(directory: Directory): Map<string, UserTally> {
    const people = new Map<string, UserTally>();
    for (const user of this.#users.values()) {
      const key = directory.findKey(user.id, [...user.addresses][0]) || user.name;
      const person = people.get(key) ?? this.#createUser(user.id, user.name);
      people.set(key, person);
      person.name = directory.findName(key) ?? (user.addresses.size > 0 ? user.name : person.name);
      for (const name of userMeasures) person.counts[name] += user.counts[name];
      for (const [model, value] of user.models) count(person.models, model, value);
      for (const [mode, value] of user.modes) count(person.modes, mode, value);
      user.activeDays.forEach((isActive, day) => {
        if (isActive === 1) person.activeDays[day] = 1;
      });
    }
    return people;
  }

  /** Lists all users by descending credits. */
  list(directory: Directory): UserTotals[] {
    const users = [...this.#join(directory)].map(([id, { name, counts, models, modes, activeDays }]) => {
      const isActive = userMeasures.some((measure) => counts[measure] > 0);
      const [addresses, isCurrent] = [directory.listAddresses(id), directory.isCurrent(id)];
      const [model, mode] = [findMost(models), findMost(modes)];
      return { id, name, addresses, isCurrent, counts, isActive, activeDays, model, mode };
    });
    return users.sort((a, b) => b.counts.credits - a.counts.credits);
  }

  /** Sums up all users for each day of the report. */
  sumDays(): DaySums {
    const indices = [...this.#days.values()];
    const values = userMeasures.map((name) => [name, indices.map((index) => this.#sums[index]?.[name] ?? null)]);
    return Object.fromEntries(values) as DaySums;
  }

  /** Counts the users from `list` who were active on at least one of the days. */
  countActive(days: readonly string[], users: readonly UserTotals[]): number {
    const indices = days.flatMap((day) => this.#days.get(day) ?? []);
    return users.filter(({ activeDays }) => indices.some((index) => activeDays[index] === 1)).length;
  }
}

function count(counts: Map<string, number>, key: string, value: number): void {
  counts.set(key, (counts.get(key) ?? 0) + value);
}

function findMost(counts: ReadonlyMap<string, number>): string {
  const [most = ["", 0]] = [...counts].sort(([, a], [, b]) => b - a);
  return shownName(most[0]);
}
