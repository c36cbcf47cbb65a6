import * as z from "zod";
import type { Paths } from "../files/paths.ts";
import { readStateFile } from "../files/state-file.ts";
import { relayFiles } from "./relay-files.ts";

/** Age at which a status is stale and its receiver has ended. */
const statusMaxAgeMs = 10_000;

const linkStatusSchema = z.object({
  /** Name of the machine, or address of the server. */
  name: z.string(),
  /** Program that connects to it; `nats` for a server. */
  via: z.string(),
  state: z.enum(["connecting", "connected", "waiting"]),
  /** Start of this state, Unix milliseconds. */
  sinceMs: z.number(),
  /** beckon's version there, if known. */
  version: z.string().optional(),
  lastEventAtMs: z.number().optional(),
  /** Last envelope of each machine behind a server, Unix milliseconds. */
  machines: z.record(z.string(), z.number()).optional(),
  /** Number of events waiting at a server. */
  waiting: z.number().optional(),
  /** Reason it is not connected. */
  problem: z.string().optional(),
  /** Next attempt, Unix milliseconds. */
  nextTryAtMs: z.number().optional(),
});
/** State of a connection. */
export type LinkStatus = Readonly<z.output<typeof linkStatusSchema>>;

const statusSchema = z.object({
  pid: z.number(),
  /** Time of writing, Unix milliseconds. */
  atMs: z.number(),
  links: z.array(linkStatusSchema),
  /** Reason it connects to nothing. */
  problem: z.string().optional(),
});
/** Status file of a receiver. */
export type RelayStatus = z.output<typeof statusSchema>;

/** Reads the receiver's status; undefined if none runs. */
export function readRelayStatus(paths: Paths, nowMs: number): RelayStatus | undefined {
  const status = readStateFile(relayFiles(paths).status, () => statusSchema.optional(), undefined);
  return status && Math.abs(nowMs - status.atMs) < statusMaxAgeMs ? status : undefined;
}
