import * as z from "zod";
import { ageRecipients } from "../../core/age-recipient.ts";
import { natsServer } from "../../core/nats-server.ts";
import { machineCredentialsSchema, personCredentialsSchema } from "../nats/credentials.ts";

/** What a machine needs to use a server: where it is, and with what it proves who it is. */
export const serverInvitationSchema = z.object({
  beckon: z.literal(1),
  servers: z.array(natsServer).min(1).max(20),
  /** Recipients that a machine's texts are sealed for. */
  seal: ageRecipients.optional(),
  creds: z.discriminatedUnion("role", [machineCredentialsSchema, personCredentialsSchema]),
});
export type ServerInvitation = Readonly<z.output<typeof serverInvitationSchema>>;
