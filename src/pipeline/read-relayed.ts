import * as z from "zod";
import { InputError } from "../core/errors.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Facts } from "../core/facts.ts";
import { fromRelayed, relayedEventSchema, relayedStateSchema } from "../core/relayed.ts";
import { type RelayedState, stateEvent } from "../core/vocabulary.ts";
import type { SpoolRecord } from "../spool/record.ts";
import { readPayload } from "./read-payload.ts";

const timedEventSchema = relayedEventSchema.extend({ atMs: z.number() });
const statesSchema = z.object({ states: z.array(relayedStateSchema) });

/** Event from a spool record. Has facts if beckon on another machine judged it. */
export interface ReadEvent {
  readonly event: AgentEvent;
  readonly facts?: Facts;
}

/** New states of events on another machine, sent by that machine. */
export interface ReadStates {
  readonly host: string;
  readonly states: readonly RelayedState[];
}

/** Reads a record that beckon on another machine sent. @throws {InputError} `input.relayed` */
export function readRelayed(record: SpoolRecord, id: string): ReadEvent | ReadStates {
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
