import * as z from "zod";
import type { Facts } from "../core/facts.ts";
import { kinds } from "../core/vocabulary.ts";
import { encodeRecord, type SpoolRecord } from "../spool/record.ts";

const deliverySchema = z.object({
  status: z.enum(["open", "sent", "skipped", "failed", "expired"]),
  attempts: z.number().int().nonnegative(),
  /** Not before, Unix milliseconds. */
  dueAtMs: z.number().optional(),
});
/** How far the delivery of one event to one notifier has come. */
export type Delivery = z.output<typeof deliverySchema>;

const stateSchema = z.object({
  atMs: z.number(),
  /** From when on the event's time runs: later than `atMs` after a manual retry. */
  freshAtMs: z.number(),
  kind: z.enum(kinds),
  facts: z.record(z.string(), z.unknown()).transform((facts) => facts as Facts),
  deliveries: z.record(z.string(), deliverySchema),
});
/** What attempts so far leave in the record for the next one: judged and looked up once, delivered many times. */
export type RunState = z.output<typeof stateSchema>;

/** The state in a record, or undefined in a fresh one. */
export function readState(record: SpoolRecord): RunState | undefined {
  return record.header.state === undefined ? undefined : stateSchema.safeParse(record.header.state).data;
}

/** The record with another state in it. */
export function withState(record: SpoolRecord, state: RunState): Buffer {
  return encodeRecord({ ...record.header, state }, record.payload, record.end);
}
