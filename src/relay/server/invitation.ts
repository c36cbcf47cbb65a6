import type { User } from "../nats/rights.ts";
import { newUserKey } from "../nats/user-key.ts";
import { deriveRecipient } from "../seal.ts";
import type { ServerInvitation } from "./invitation-schema.ts";
import { listAddresses, type OwnServer } from "./server-settings.ts";
import type { Invited } from "./users.ts";

type DistributiveOmit<T, Key extends PropertyKey> = T extends unknown ? Omit<T, Key> : never;

export type Guest = DistributiveOmit<User, "key" | "team">;

/** Creates an invitation, and the user that the server must accept for it. */
export async function invite(
  { settings, keys, ca }: OwnServer,
  guest: Guest,
  { nowMs, validMs }: { readonly nowMs: number; readonly validMs?: number | undefined },
): Promise<{ readonly invitation: ServerInvitation; readonly user: Invited }> {
  const { seed, key } = newUserKey();
  const { team } = settings;
  const expiresAt = validMs === undefined ? {} : { expiresAt: new Date(nowMs + validMs).toISOString() };
  const user = { ...guest, team, key, invitedAt: new Date(nowMs).toISOString(), ...expiresAt };
  const shared = { beckon: 1, team, seed, ca } as const;
  const servers = listAddresses(settings);
  if (guest.role === "person") {
    const creds = { ...shared, role: guest.role, person: guest.person, identity: keys.identity };
    return { user: user as Invited, invitation: { beckon: 1, servers, creds } };
  }
  const creds = { ...shared, role: guest.role, host: guest.host, people: [...guest.people] };
  const seal = [await deriveRecipient(keys.identity)];
  return { user: user as Invited, invitation: { beckon: 1, servers, seal, creds } };
}
