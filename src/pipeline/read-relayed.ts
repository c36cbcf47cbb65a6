import * as z from "zod";
import { InputError } from "../core/errors.ts";
import type { RelayedState } from "../core/ports.ts";
import { fromRelayed, relayedEventSchema, relayedStateSchema } from "../core/relayed.ts";
import { stateEvent } from "../core/vocabulary.ts";
import type { SpoolRecord } from "../spool/record.ts";
import type { KnownEvent } from "./judge.ts";
import { readPayload } from "./read-payload.ts";

const timedEventSchema = relayedEventSchema.extend({ atMs: z.number() });
const statesSchema = z.object({ states: z.array(relayedStateSchema) });

/** New states of events on another machine, sent by that machine. */
export interface ReadStates {
  readonly host: string;
  readonly states: readonly RelayedState[];
}

/** Reads a record that beckon on another machine sent. @throws {InputError} `input.relayed` */
export function readRelayed(record: SpoolRecord, id: string): KnownEvent | ReadStates {
  const payload = readPayload(record);
  const { event, host = "" } = record.header;
  if (event === stateEvent) {
    const { data } = statesSchema.safeParse(payload);
    if (data) return { host, states: data.states };
  } else {
    const { data } = timedEventSchema.safeParse(payload);
    if (data) return fromRelayed(data, { id, atMs: data.atMs, host });
  }
  throw new InputError("input.relayed", "not an event from another machine's beckon");
}
