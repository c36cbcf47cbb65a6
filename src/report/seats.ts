import type { OrganizationUser } from "../service/schemas/organization-user.ts";
import { shownName } from "./ranking.ts";

/** A user of the organization who did nothing in the period. */
export interface IdleSeat {
  /** The e-mail address, or the id of a user without one. */
  readonly name: string;
  /** As the service writes it; empty where it does not say. */
  readonly lastSignIn: string;
}

/** The organization's users as they are today, and who of them was idle in the period. */
export interface Seats {
  readonly users: number;
  /** Absent where it is not known who was active. */
  readonly idle?: number;
  /** Those of `idle`, in the service's order; empty where names are not shown. */
  readonly idleSeats: readonly IdleSeat[];
}

/**
 * Counts the users of an organization and those who were idle.
 * @param active ids of the users who were active in the period; undefined where that is not known
 */
export function seatsOf(
  users: readonly OrganizationUser[],
  active: ReadonlySet<string> | undefined,
  isNamed: boolean,
): Seats {
  if (active === undefined) return { users: users.length, idleSeats: [] };
  const idle = users.filter(({ id }) => !active.has(id));
  const seats = isNamed ? idle.map(seatOf) : [];
  return { users: users.length, idle: idle.length, idleSeats: seats };
}

function seatOf({ id, email, lastSignInAt }: OrganizationUser): IdleSeat {
  return { name: shownName(email ?? id), lastSignIn: lastSignInAt === undefined ? "" : shownName(lastSignInAt) };
}
