import { type DaySums, type UserCounts, type UserTotals, userMeasures } from "./people-tally.ts";

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
export interface Spread {
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

/** Facts about users that are known only after all rows. */
export interface PeopleFacts {
  /** Users by descending credits. */
  readonly users: readonly UserTotals[];
  readonly byDay: DaySums;
  readonly activeWithCredits: number;
}

/** Sums up users, and lists those with the most credits. */
export function buildPeople({ users, byDay, activeWithCredits }: PeopleFacts, listing: Listing): People {
  const shownNames = nameUsers(users, listing);
  const others = users.slice(listing.top);
  const active = users.filter(({ isActive }) => isActive);
  const spread = measureSpread(active.map(({ counts }) => counts.credits));
  return {
    users: users.length,
    active: active.length,
    activeWithCredits,
    totals: sumCounts(users),
    top: users.slice(0, listing.top).map(({ id, counts, model, mode }) => {
      return { name: shownNames.get(id) ?? "", ...counts, model, mode };
    }),
    rest: { users: others.length, ...sumCounts(others) },
    byDay,
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
