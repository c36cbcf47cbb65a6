import { type Listing, nameUsers, type UserTotals } from "./people.ts";

/** User whose credits are compared with the previous period. */
export interface Mover {
  readonly name: string;
  /** Credits of this period, divided by the number of its days with data. */
  readonly creditsPerDay: number;
  /** Credits of the previous period, divided by the number of its days with data. */
  readonly creditsPerDayBefore: number;
}

/**
 * Changes among the active users from the previous period to this period. The three numbers are absent if a period lacks
 * days, because users who were active only on those days would seem new or lost.
 */
export interface Movement {
  /** Number of users active in this period but not in the previous period. */
  readonly newUsers?: number;
  /** Number of users active in both periods. */
  readonly returningUsers?: number;
  /** Number of users active in the previous period but not in this period. */
  readonly lostUsers?: number;
  /** At most five users whose daily credits grew most, greatest growth first. */
  readonly risers: readonly Mover[];
  /** At most five users whose daily credits fell most, greatest fall first. */
  readonly fallers: readonly Mover[];
}

/** Users of a period, and the number of days in the period with data about users. */
export interface UsersOfPeriod {
  readonly users: readonly UserTotals[];
  readonly days: number;
  /** True if no day of the period lacks data. */
  readonly isWhole: boolean;
}

/** Maximum number of users in each of the two lists. */
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
  const counts = {
    newUsers: countPairs(true, false),
    returningUsers: countPairs(true, true),
    lostUsers: countPairs(false, true),
  };
  return {
    ...(now.isWhole && before.isWhole && counts),
    risers: sorted.filter((mover) => change(mover) > 0).slice(0, maxMovers),
    fallers: sorted
      .reverse()
      .filter((mover) => change(mover) < 0)
      .slice(0, maxMovers),
  };
}
