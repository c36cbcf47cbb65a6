import type { OrganizationUser } from "../service/schemas/organization-user.ts";
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
  /** Number of idle users; absent if activity is unknown. */
  readonly idle?: number;
  /** Idle users, in the service's order; empty if names are not shown. */
  readonly idleSeats: readonly IdleSeat[];
}

/**
 * Counts the users of an organization and the idle users.
 * @param active ids of the users active in the period; undefined if unknown
 */
export function countSeats(
  users: readonly OrganizationUser[],
  active: ReadonlySet<string> | undefined,
  isNamed: boolean,
): Seats {
  if (active === undefined) return { users: users.length, idleSeats: [] };
  const idle = users.filter(({ id, email = "" }) => !active.has(id || email));
  const seats = (isNamed ? idle : []).map(({ id, email, lastSignInAt }) => {
    return { name: showUser(email, id), lastSignIn: lastSignInAt ? shownName(lastSignInAt) : "" };
  });
  return { users: users.length, idle: idle.length, idleSeats: seats };
}
