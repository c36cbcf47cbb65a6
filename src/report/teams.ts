import type { Directory } from "./directory.ts";
import type { UsersOfPeriod } from "./movement.ts";
import { sumCounts, type UserCounts, type UserTotals } from "./people.ts";

/** E-mail addresses in lower case, by team. */
export type TeamMembers = ReadonlyMap<string, readonly string[]>;

/** Numbers of one team in the period. */
export interface TeamUsage extends UserCounts {
  readonly name: string;
  /** Number of addresses of the team in the file. */
  readonly members: number;
  /** Number of members active in the period. */
  readonly active: number;
  /** Credits divided by the number of days with data about users. */
  readonly creditsPerDay: number;
  /** The same in the previous period; absent if the users of that period are unknown. */
  readonly creditsPerDayBefore?: number;
}

/** Usage by team, with the sums of users who are in no team. */
export interface Teams {
  /** Teams with the most credits first. */
  readonly teams: readonly TeamUsage[];
  /** Sums over users who have data in the period and are in no team of the file. */
  readonly withoutTeam: Omit<TeamUsage, "name" | "members"> & { readonly users: number };
  /**
   * At most 20 users without a team, most credits first: the address of each, or the id of a user without an address.
   * Empty if names are not shown.
   */
  readonly namesWithoutTeam: readonly string[];
  /** Number of addresses in the file that no user of the organization has. */
  readonly unknown: number;
  /** At most 20 addresses in the file that no user of the organization has; empty if names are not shown. */
  readonly unknownAddresses: readonly string[];
}

/** Users to divide into teams. */
export interface TeamSources {
  readonly members: TeamMembers;
  readonly now: UsersOfPeriod;
  /** Users of the previous period; undefined if unknown. */
  readonly before: UsersOfPeriod | undefined;
  /** Ids and addresses, also of users without activity. */
  readonly directory: Directory;
  readonly isNamed: boolean;
}

/** Maximum number of listed users without a team, and of listed unknown addresses. */
const maxNames = 20;

/** Adds up users by team. Users are found by any of their e-mail addresses; the first team in the file counts. */
export function divideByTeam({ members, now, before, directory, isNamed }: TeamSources): Teams {
  const teamByAddress = new Map([...members].flatMap(([name, emails]) => emails.map((email) => [email, name])));
  const findTeam = ({ addresses }: UserTotals): string | undefined =>
    [...members.keys()].find((name) => addresses.some((address) => teamByAddress.get(address) === name));
  const sumTeam = (name: string | undefined) => {
    const own = now.users.filter((user) => findTeam(user) === name);
    const past = before?.users.filter((user) => findTeam(user) === name);
    const counts = sumCounts(own);
    return {
      active: own.filter(({ isActive }) => isActive).length,
      ...counts,
      creditsPerDay: counts.credits / Math.max(1, now.days),
      ...(before && past && { creditsPerDayBefore: sumCounts(past).credits / Math.max(1, before.days) }),
    };
  };
  const teams = [...members].map(([name, emails]): TeamUsage => ({ name, members: emails.length, ...sumTeam(name) }));
  const outside = now.users.filter((user) => findTeam(user) === undefined);
  const unknown = [...teamByAddress.keys()].filter((address = "") => !directory.hasAddress(address));
  return {
    teams: teams.sort((a, b) => b.credits - a.credits || (a.name < b.name ? -1 : 1)),
    withoutTeam: { users: outside.length, ...sumTeam(undefined) },
    namesWithoutTeam: isNamed ? outside.slice(0, maxNames).map(({ name }) => name) : [],
    unknown: unknown.length,
    unknownAddresses: isNamed ? unknown.slice(0, maxNames) : [],
  };
}
