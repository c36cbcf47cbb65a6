import * as z from "zod";
import type { Paths } from "../files/paths.ts";
import { readStateFile } from "../files/state-file.ts";
import { relayFiles } from "./relay-files.ts";

/** A state that is older was written by a receiver that is no more. */
const livingMs = 10_000;

const linkStatusSchema = z.object({
  /** The machine's name, or the server's address. */
  name: z.string(),
  /** The program by which it is reached; `nats` for a server. */
  via: z.string(),
  state: z.enum(["connecting", "connected", "waiting"]),
  /** Since when, Unix milliseconds. */
  sinceMs: z.number(),
  /** Its beckon's version, as far as it ever said. */
  version: z.string().optional(),
  lastEventAtMs: z.number().optional(),
  /** When each machine behind a server last sent something, Unix milliseconds. */
  machines: z.record(z.string(), z.number()).optional(),
  /** How many events wait at a server. */
  waiting: z.number().optional(),
  /** Why it is not connected. */
  problem: z.string().optional(),
  /** When it is tried again, Unix milliseconds. */
  nextTryAtMs: z.number().optional(),
});
/** How far the connection to a machine has come. */
export type LinkStatus = Readonly<z.output<typeof linkStatusSchema>>;

const statusSchema = z.object({
  pid: z.number(),
  /** When this was written, Unix milliseconds. */
  atMs: z.number(),
  links: z.array(linkStatusSchema),
  /** Why it connects to nobody. */
  problem: z.string().optional(),
});
/** What a receiver says of itself. */
export type RelayStatus = z.output<typeof statusSchema>;

/** What the receiver says of itself; undefined where none runs. */
export function readRelayStatus(paths: Paths, nowMs: number): RelayStatus | undefined {
  const status = readStateFile(relayFiles(paths).status, () => statusSchema.optional(), undefined);
  return status && Math.abs(nowMs - status.atMs) < livingMs ? status : undefined;
}
