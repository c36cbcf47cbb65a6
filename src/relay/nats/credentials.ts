import { createUser, fromSeed } from "@nats-io/nkeys";
import * as z from "zod";
import { ConfigError } from "../../core/errors.ts";
import { parseJson } from "../../core/json-value.ts";
import { hostToken, nameToken } from "./names.ts";

const name = z.string().regex(nameToken);
const shared = {
  beckon: z.literal(1),
  team: name,
  /**
   * Secret seed from which the user's key pair (nkey) is derived: `SU…`.
   * https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/nkey_auth
   */
  seed: z.string().regex(/^SU[A-Z2-7]{56}$/),
  /** Authority that signed the server's certificate, PEM; default: the system's authorities. */
  ca: z
    .string()
    .max(64 * 1024)
    .optional(),
};

/** Credentials for a machine that runs agents. They only allow sending that machine's events to `people`. */
export const machineCredentialsSchema = z.object({
  ...shared,
  role: z.literal("machine"),
  host: z.string().regex(hostToken),
  people: z.array(name).min(1).max(50),
});

export type MachineCredentials = Readonly<z.output<typeof machineCredentialsSchema>>;

/** Credentials for a user's own machine. They allow fetching the user's events, and sharing with the team. */
export const personCredentialsSchema = z.object({
  ...shared,
  role: z.literal("person"),
  person: name,
  /** Secret age key that decrypts envelopes sealed for the team. */
  identity: z
    .string()
    .max(4096)
    .regex(/^AGE-SECRET-KEY-(PQ-)?1[A-Z0-9]+$/)
    .optional(),
});

export type PersonCredentials = Readonly<z.output<typeof personCredentialsSchema>>;

export type Credentials = MachineCredentials | PersonCredentials;

/**
 * Parses the credentials from an invitation.
 * @param path configuration path of the credentials, for errors
 * @throws {ConfigError} if the credentials are malformed or belong to the other role
 */
export function readCredentials<Read extends Credentials>(text: string, schema: z.ZodType<Read>, path: string): Read {
  const { data } = schema.safeParse(parseJson(text));
  if (data) return data;
  throw new ConfigError(path, "these are not the credentials of an invitation for this", {
    hint: "`beckon relay join` stores what `beckon relay invite` makes.",
  });
}

/** Generates a key pair for a new NATS user: the secret seed, `SU…`, and the public key, `U…`. */
export function newUserKey(): { readonly seed: string; readonly key: string } {
  const pair = createUser();
  return { seed: new TextDecoder().decode(pair.getSeed()), key: pair.getPublicKey() };
}

/** Derives the public key, `U…`, from a seed, `SU…`. */
export function derivePublicKey(seed: string): string {
  return fromSeed(new TextEncoder().encode(seed)).getPublicKey();
}

/** Returns the prefix of the subjects for replies to a user. Other users may not subscribe to these subjects. */
export function buildInboxPrefix(key: string): string {
  return `_INBOX.${key}`;
}
