import * as z from "zod";
import { ConfigError } from "../../core/errors.ts";
import { hostToken, nameToken } from "./names.ts";

const name = z.string().regex(nameToken);
const shared = {
  beckon: z.literal(1),
  team: name,
  /**
   * Seed of a user's nkey: `SU…`.
   * https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/nkey_auth
   */
  seed: z.string().regex(/^SU[A-Z2-7]{56}$/),
  /** Certificate, PEM, that signs the server's certificate; default: the system's authorities. */
  ca: z
    .string()
    .max(64 * 1024)
    .optional(),
};

/** Credentials of a machine with agents. They only allow sending its own events to these people. */
export const machineCredentialsSchema = z.object({
  ...shared,
  role: z.literal("machine"),
  host: z.string().regex(hostToken),
  people: z.array(name).min(1).max(50),
});
export type MachineCredentials = Readonly<z.output<typeof machineCredentialsSchema>>;

/** Credentials of a user's own machine. They allow fetching that user's events and sharing what was seen. */
export const personCredentialsSchema = z.object({
  ...shared,
  role: z.literal("person"),
  person: name,
  /** Secret age key that opens envelopes sealed for the team. */
  identity: z
    .string()
    .max(4096)
    .regex(/^AGE-SECRET-KEY-(PQ-)?1[A-Z0-9]+$/)
    .optional(),
});
export type PersonCredentials = Readonly<z.output<typeof personCredentialsSchema>>;

export type Credentials = MachineCredentials | PersonCredentials;

/**
 * Parses credentials that came with an invitation.
 * @param path their place in the configuration
 * @throws {ConfigError} for malformed credentials and those of the other role
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
