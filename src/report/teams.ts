import { omitUndefined } from "../core/omit-undefined.ts";
import { sumCounts } from "./people.ts";
import type { UserCounts, UserTotals } from "./people-tally.ts";

/** E-mail addresses in lower case, by team. */
export type TeamMembers = ReadonlyMap<string, readonly string[]>;

/** Numbers of one team in the period. */
export interface TeamUsage extends UserCounts {
  readonly name: string;
  /** Number of addresses of the team in the file. */
  readonly members: number;
  /** Number of members active in the period. */
  readonly active: number;
  /** Credits in the previous period; absent if the users of that period are unknown. */
  readonly creditsBefore?: number;
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
  readonly users: readonly UserTotals[];
  /** Users of the previous period; undefined if unknown. */
  readonly before: readonly UserTotals[] | undefined;
  /** Lower-case addresses of the organization's users, including users without activity. */
  readonly addresses: Iterable<string>;
  readonly isNamed: boolean;
}

/** Maximum number of listed users without a team, and of listed unknown addresses. */
const maxNames = 20;

/** Adds up users by team. Users are found by their e-mail addresses. */
export function divideByTeam({ members, users, before, addresses, isNamed }: TeamSources): Teams {
  const inTeam = new Set([...members.values()].flat());
  const isOutside = ({ email }: UserTotals): boolean => !inTeam.has(email);
  const teams = [...members].map(([name, emails]): TeamUsage => {
    const own = new Set(emails);
    return { name, members: emails.length, ...sumTeam(users, before, ({ email }) => own.has(email)) };
  });
  const outside = users.filter(isOutside);
  const known = new Set([...addresses, ...users.map(({ email }) => email)]);
  const unknown = [...inTeam].filter((email) => !known.has(email));
  return {
    teams: teams.sort((a, b) => b.credits - a.credits || (a.name < b.name ? -1 : 1)),
    withoutTeam: { users: outside.length, ...sumTeam(users, before, isOutside) },
    namesWithoutTeam: isNamed ? outside.slice(0, maxNames).map(({ name }) => name) : [],
    unknown: unknown.length,
    unknownAddresses: isNamed ? unknown.slice(0, maxNames) : [],
  };
}

function sumTeam(
  users: readonly UserTotals[],
  before: readonly UserTotals[] | undefined,
  isMember: (user: UserTotals) => boolean,
) {
  const own = users.filter(isMember);
  const creditsBefore = before && sumCounts(before.filter(isMember)).credits;
  return {
    active: own.filter(({ isActive }) => isActive).length,
    ...sumCounts(own),
    ...omitUndefined<{ creditsBefore?: number }>({ creditsBefore }),
  };
}
