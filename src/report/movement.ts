import { type Listing, nameUsers } from "./people.ts";
import type { UserTotals } from "./people-tally.ts";

/** User whose credits are compared with the period before. */
export interface Mover {
  readonly name: string;
  /** Credits a day with data, in this period and in the one before. */
  readonly creditsPerDay: number;
  readonly creditsPerDayBefore: number;
}

/** Changes among the active users from the period before to this one. */
export interface Movement {
  /** Users active in this period only. */
  readonly newUsers: number;
  /** Users active in both periods. */
  readonly returningUsers: number;
  /** Users active in the period before only. */
  readonly lostUsers: number;
  /** Users whose daily credits grew most, greatest growth first. */
  readonly risers: readonly Mover[];
  /** Users whose daily credits fell most, greatest fall first. */
  readonly fallers: readonly Mover[];
}

/** Users of a period, and the number of its days with data about users. */
export interface UsersOfPeriod {
  readonly users: readonly UserTotals[];
  readonly days: number;
}

/** Most users in each of the two lists. */
const maxMovers = 5;

/** Compares the users of two periods. Days without data are left out of the means. */
export function compareUsers(now: UsersOfPeriod, before: UsersOfPeriod, listing: Listing): Movement {
  const earlier = new Map(before.users.map((user) => [user.id, user]));
  const ids = new Set(now.users.map(({ id }) => id));
  const gone = before.users.filter(({ id }) => !ids.has(id));
  const names = nameUsers([...now.users, ...gone], listing);
  const pairs = [
    ...now.users.map((user) => ({ user, isActive: user.isActive, before: earlier.get(user.id) })),
    ...gone.map((user) => ({ user, isActive: false, before: user })),
  ];
  const movers = pairs.map(({ user, before: past }): Mover => {
    const credits = ids.has(user.id) ? user.counts.credits : 0;
    return {
      name: names.get(user.id) ?? "",
      creditsPerDay: credits / Math.max(1, now.days),
      creditsPerDayBefore: (past?.counts.credits ?? 0) / Math.max(1, before.days),
    };
  });
  const change = ({ creditsPerDay, creditsPerDayBefore }: Mover): number => creditsPerDay - creditsPerDayBefore;
  const sorted = movers.toSorted((a, b) => change(b) - change(a));
  const countPairs = (isNow: boolean, wasBefore: boolean): number =>
    pairs.filter((pair) => pair.isActive === isNow && (pair.before?.isActive ?? false) === wasBefore).length;
  return {
    newUsers: countPairs(true, false),
    returningUsers: countPairs(true, true),
    lostUsers: countPairs(false, true),
    risers: sorted.filter((mover) => change(mover) > 0).slice(0, maxMovers),
    fallers: sorted
      .reverse()
      .filter((mover) => change(mover) < 0)
      .slice(0, maxMovers),
  };
}
