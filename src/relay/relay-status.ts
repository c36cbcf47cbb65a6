import { join } from "node:path";
import * as z from "zod";
import { readStateFile } from "../files/atomic-file.ts";
import type { Paths } from "../files/paths.ts";

/** Age at which a status is stale, milliseconds: the receiver that wrote it has ended. */
const statusMaxAgeMs = 10_000;

const linkStatusSchema = z.object({
  /** Name of the connected machine, or address of the NATS server. */
  name: z.string(),
  /** Program that makes the connection, such as `ssh`; `nats` for a NATS server. */
  via: z.string(),
  state: z.enum(["connecting", "connected", "waiting"]),
  /** Time the current state began, Unix milliseconds. */
  sinceMs: z.number(),
  /** Version of the other side, if known: beckon's on a machine, NATS's on a server. */
  version: z.string().optional(),
  lastEventAtMs: z.number().optional(),
  /** Time of the last envelope from each machine behind a server, Unix milliseconds. */
  machines: z.record(z.string(), z.number()).optional(),
  /** Number of events that wait at the server. */
  waiting: z.number().optional(),
  /** Reason for not being connected. */
  problem: z.string().optional(),
  /** Time of the next attempt to connect, Unix milliseconds. */
  nextTryAtMs: z.number().optional(),
});

/** Status of one connection. */
export type LinkStatus = Readonly<z.output<typeof linkStatusSchema>>;

const statusSchema = z.object({
  pid: z.number(),
  /** Time the status was written, Unix milliseconds. */
  atMs: z.number(),
  links: z.array(linkStatusSchema),
  /** Reason why a source is left out. */
  problem: z.string().optional(),
});

/** Reads the receiver's status; undefined if no receiver is running. */
export function readRelayStatus(paths: Paths, nowMs: number): z.output<typeof statusSchema> | undefined {
  const status = readStateFile(relayFiles(paths).status, () => statusSchema.optional(), undefined);
  return status && Math.abs(nowMs - status.atMs) < statusMaxAgeMs ? status : undefined;
}

/** Files of the relay on this machine. */
export function relayFiles({ relay }: Pick<Paths, "relay">) {
  return {
    secret: join(relay, "secret"),
    outbox: join(relay, "outbox"),
    received: join(relay, "received"),
    status: join(relay, "status.json"),
    lock: join(relay, "run.lock"),
    identity: join(relay, "age.key"),
    /**
     * File with the time when the machine that fetches the outbox was last connected, and with that machine's version
     * of beckon.
     */
    fetched: join(relay, "fetched.json"),
  };
}
