import * as z from "zod";
import { natsServer } from "../core/nats-server.ts";
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
    .describe('A command that gives standard input and output there: `["ssh", "devbox"]`. Never a shell line.'),
  host: hostName.describe("What the machine is called here: in titles, in `hosts` of routes, in the journal."),
});
export type MachineSource = Readonly<z.output<typeof machineSchema>>;

/** Servers that keep the events of many machines for one person. */
const serverSchema = z.strictObject({
  servers: z
    .array(natsServer)
    .min(1)
    .max(20)
    .describe("Servers of NATS, `tls://host:4222`; one that answers is enough."),
  creds: secret(z.string()).describe("What `beckon relay join` has stored: `${file:~/.beckon/relay/alice.creds}`."),
  durable: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .describe("Durable consumer of the person who fetches events."),
  share: z
    .boolean()
    .optional()
    .describe("Whether the team sees who waits for you: project, agent and title of the session. Default: it does."),
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
      "The machines, `via` and `host` each; `beckon relay add` adds one. A machine may have two ways. Or servers.",
    ),
  identity: secret(z.string())
    .optional()
    .describe("The secret key that opens what other machines seal for this one: `${file:~/.beckon/relay/age.key}`."),
});

/** Returns the name of a source: the machine's name, or the address of the first server. */
export function sourceName(source: RelaySource): string {
  return "via" in source ? source.host : (source.servers[0] ?? "").replace(/^\w+:\/\//, "");
}
