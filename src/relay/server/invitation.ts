import * as z from "zod";
import { ageRecipients, natsServers } from "../../core/relay-address.ts";
import { machineCredentialsSchema, newUserKey, personCredentialsSchema } from "../nats/credentials.ts";
import { deriveRecipient } from "../seal.ts";
import { listAddresses, type OwnServer } from "./server-settings.ts";
import type { Guest, Invited } from "./users.ts";

/** Creates an invitation, and the user that the server must accept for it. */
export async function invite(
  { settings, keys, ca }: OwnServer,
  guest: Guest,
  { nowMs, validMs }: { readonly nowMs: number; readonly validMs?: number | undefined },
): Promise<{ readonly invitation: ServerInvitation; readonly user: Invited }> {
  const { seed, key } = newUserKey();
  const { team } = settings;
  const expiresAt = validMs === undefined ? {} : { expiresAt: new Date(nowMs + validMs).toISOString() };
  const user: Invited = { ...guest, team, key, invitedAt: new Date(nowMs).toISOString(), ...expiresAt };
  const shared = { beckon: 1, team, seed, ca } as const;
  const servers = listAddresses(settings);
  if (guest.role === "person") {
    const creds = { ...shared, role: guest.role, person: guest.person, identity: keys.identity };
    return { user, invitation: { beckon: 1, servers, creds } };
  }
  const seal = [await deriveRecipient(keys.identity)];
  return { user, invitation: { beckon: 1, servers, seal, creds: { ...shared, ...guest } } };
}

/** Invitation to a server, with the server's addresses and credentials. */
export const serverInvitationSchema = z.object({
  beckon: z.literal(1),
  servers: natsServers,
  /** Recipients for whom the machine encrypts its events. */
  seal: ageRecipients.optional(),
  creds: z.discriminatedUnion("role", [machineCredentialsSchema, personCredentialsSchema]),
});

export type ServerInvitation = Readonly<z.output<typeof serverInvitationSchema>>;
