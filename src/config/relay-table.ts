import * as z from "zod";
import { natsServers } from "../core/relay-address.ts";
import { programArgument, secret } from "../core/secret.ts";

/** Name of a machine. People type this name, and it becomes part of a line in a file but never a path. */
export const hostName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, "must consist of letters, digits, dots, - and _")
  .refine((name) => name !== "localhost", "must not be localhost, the name of this machine");

/** Machine from which beckon fetches events, with the command that reaches the machine. */
const machineSchema = z.strictObject({
  via: z
    .array(programArgument())
    .min(1)
    .describe('Command that runs a program on the other machine, as a list of words: `["ssh", "devbox"]`.'),
  host: hostName.describe("Name for the other machine: in titles, in `hosts` of routes, and in the journal."),
});
export type MachineSource = Readonly<z.output<typeof machineSchema>>;

/** Servers that keep the events of many machines for one person. */
const serverSchema = z.strictObject({
  servers: natsServers.describe("NATS servers, `tls://host:4222`. It is enough if one server answers."),
  creds: secret(z.string()).describe(
    "Credentials stored by `beckon relay join`: `${file:~/.beckon/relay/alice.creds}`.",
  ),
  durable: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .describe("Name of the durable NATS consumer of the person who fetches events."),
  share: z
    .boolean()
    .optional()
    .describe("Show your team which sessions wait for you, with project, agent and title. Default: true."),
});
export type ServerSource = Readonly<z.output<typeof serverSchema>>;

/** Chooses the schema for an item of `relay.from`. */
export function chooseRelaySourceSchema(item: unknown) {
  return typeof item === "object" && item !== null && "servers" in item ? serverSchema : machineSchema;
}

export type RelaySource = MachineSource | ServerSource;

/** Sources from which `beckon relay run` fetches the events of other machines. */
export const relaySchema = z.strictObject({
  from: z
    .array(z.union([machineSchema, serverSchema]))
    .prefault([])
    .describe(
      "Machines to fetch events from, each with `via` and `host`, or NATS servers. `beckon relay add` adds a machine.",
    ),
  identity: secret(z.string())
    .optional()
    .describe(
      "Secret key that decrypts what other machines encrypted for this one: `${file:~/.beckon/relay/age.key}`.",
    ),
});

/** Returns the name of a source: the machine's name, or the address of the first server. */
export function sourceName(source: RelaySource): string {
  return "via" in source ? source.host : (source.servers[0] ?? "").replace(/^\w+:\/\//, "");
}
