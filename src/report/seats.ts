import type { OrganizationUser } from "../service/schemas/objects.ts";
import type { Directory } from "./directory.ts";
import type { UserTotals } from "./people.ts";
import { shownName, showUser } from "./ranking.ts";

/** User of the organization without activity in the period. */
export interface IdleSeat {
  /** E-mail address, or the id of a user without an address. */
  readonly name: string;
  /** Last sign-in as the service writes it; empty if unknown. */
  readonly lastSignIn: string;
}

/** Current users of the organization, and those who were idle in the period. */
export interface Seats {
  readonly users: number;
  /** Number of idle users; absent if activity is unknown, or if no user of analytics is among the users. */
  readonly idle?: number;
  /** Idle users, in the service's order; empty if names are not shown. */
  readonly idleSeats: readonly IdleSeat[];
  /** Number of active users who are no longer users of the organization; absent if `idle` is. */
  readonly former?: number;
}

/** Users of the organization, and those of analytics. */
export interface SeatSources {
  readonly rows: readonly OrganizationUser[];
  /** Users in the period; undefined if activity is unknown. */
  readonly people: readonly UserTotals[] | undefined;
  readonly directory: Directory;
  readonly isNamed: boolean;
}

/**
 * Counts the users of an organization and the idle users. Also counts, as `unmatched`, the active users who may be any of
 * the idle ones; absent if every active user is either a user of the organization or a former user.
 */
export function countSeats({ rows, people, directory, isNamed }: SeatSources) {
  const unknown: Seats = { users: rows.length, idleSeats: [] };
  if (people === undefined) return { seats: unknown };
  const active = people.filter(({ isActive }) => isActive);
  const others = active.filter(({ isCurrent }) => !isCurrent);
  if (rows.length > 0 && active.length > 0 && people.every(({ isCurrent }) => !isCurrent))
    return { seats: unknown, unmatched: active.length };
  const activeKeys = new Set(active.map(({ id }) => id));
  const idle = rows.filter(({ id, email }) => !activeKeys.has(directory.findKey(id, email)));
  // If analytics has other ids than the list of users, a user without an address cannot be found in that list.
  const unmatched = directory.sharesIds ? 0 : others.filter(({ addresses }) => addresses.length === 0).length;
  const seats: Seats = {
    users: rows.length,
    idle: idle.length,
    idleSeats: isNamed ? idle.map((row) => toIdleSeat(row, directory)) : [],
    former: others.length - unmatched,
  };
  return { seats, ...(unmatched > 0 && { unmatched }) };
}

function toIdleSeat({ id, email, lastSignInAt }: OrganizationUser, directory: Directory): IdleSeat {
  const [address] = directory.listAddresses(directory.findKey(id, email));
  return { name: showUser(email || address, id), lastSignIn: lastSignInAt ? shownName(lastSignInAt) : "" };
}
