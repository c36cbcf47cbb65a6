import * as z from "zod";
import { ageRecipients } from "../../core/age-recipient.ts";
import { natsServer } from "../../core/nats-server.ts";
import { machineCredentialsSchema, personCredentialsSchema } from "../nats/credentials.ts";

/** Invitation to a server: its address, and the credentials for it. */
export const serverInvitationSchema = z.object({
  beckon: z.literal(1),
  servers: z.array(natsServer).min(1).max(20),
  /** Recipients the machine seals its events for. */
  seal: ageRecipients.optional(),
  creds: z.discriminatedUnion("role", [machineCredentialsSchema, personCredentialsSchema]),
});
export type ServerInvitation = Readonly<z.output<typeof serverInvitationSchema>>;
