import * as z from "zod";
import { ageRecipients } from "../../core/age-recipient.ts";
import { natsServer } from "../../core/nats-server.ts";
import { machineCredentialsSchema, personCredentialsSchema } from "../nats/credentials.ts";

/** Invitation to a server, with the server's addresses and credentials. */
export const serverInvitationSchema = z.object({
  beckon: z.literal(1),
  servers: z.array(natsServer).min(1).max(20),
  /** Recipients for whom the machine encrypts its events. */
  seal: ageRecipients.optional(),
  creds: z.discriminatedUnion("role", [machineCredentialsSchema, personCredentialsSchema]),
});
export type ServerInvitation = Readonly<z.output<typeof serverInvitationSchema>>;
