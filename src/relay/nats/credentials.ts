import * as z from "zod";
import { ConfigError } from "../../core/errors.ts";
import { hostToken, nameToken } from "./names.ts";

const name = z.string().regex(nameToken);
const shared = {
  beckon: z.literal(1),
  team: name,
  /**
   * The secret of an nkey of a user: `SU…`.
   * https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/nkey_auth
   */
  seed: z.string().regex(/^SU[A-Z2-7]{56}$/),
  /** The certificate, PEM, by which the server's own is known; without one those of the system count. */
  ca: z
    .string()
    .max(64 * 1024)
    .optional(),
};

/** With what a machine with agents proves who it is: it may send its own events to these people, and nothing else. */
export const machineCredentialsSchema = z.object({
  ...shared,
  role: z.literal("machine"),
  host: z.string().regex(hostToken),
  people: z.array(name).min(1).max(50),
});
export type MachineCredentials = Readonly<z.output<typeof machineCredentialsSchema>>;

/** With what a person's own machine does: it may fetch what is sent to that person, and share what is seen. */
export const personCredentialsSchema = z.object({
  ...shared,
  role: z.literal("person"),
  person: name,
  /** The secret key of age that opens what is sealed for the team. */
  identity: z
    .string()
    .max(4096)
    .regex(/^AGE-SECRET-KEY-(PQ-)?1[A-Z0-9]+$/)
    .optional(),
});
export type PersonCredentials = Readonly<z.output<typeof personCredentialsSchema>>;

export type Credentials = MachineCredentials | PersonCredentials;

/**
 * Reads credentials, as an invitation has brought them.
 * @param path where they stand in the configuration
 * @throws {ConfigError} for what are none, or those of the other role
 */
export function readCredentials<Read extends Credentials>(text: string, schema: z.ZodType<Read>, path: string): Read {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new ConfigError(path, "these are not the credentials of an invitation for this", {
      hint: "`beckon relay join` stores what `beckon relay invite` makes.",
    });
  }
}
