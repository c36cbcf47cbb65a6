import * as z from "zod";
import { InputError } from "../core/errors.ts";
import { fromRelayed, relayedEventSchema, relayedStateSchema } from "../core/relayed.ts";
import { stateEvent } from "../core/vocabulary.ts";
import type { SpoolRecord } from "../spool/record.ts";
import { readPayload } from "./read-payload.ts";
import type { TakenIn } from "./taken-in.ts";

const timedEventSchema = relayedEventSchema.extend({ atMs: z.number() });
const statesSchema = z.object({ states: z.array(relayedStateSchema) });

/** Reads a record of another machine's beckon; loaded with the first of them. @throws {InputError} `input.relayed` */
export function takeInRelayed(record: SpoolRecord, id: string): TakenIn {
  const payload = readPayload(record);
  const { event, host = "" } = record.header;
  if (event === stateEvent) {
    const { data } = statesSchema.safeParse(payload);
    if (data) return { host, states: data.states };
  } else {
    const { data } = timedEventSchema.safeParse(payload);
    if (data) return fromRelayed(data, { id, atMs: data.atMs, host });
  }
  throw new InputError("input.relayed", "not what another machine's beckon hands over");
}
