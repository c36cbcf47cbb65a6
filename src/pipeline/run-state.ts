import * as z from "zod";
import type { Facts } from "../core/facts.ts";
import { once } from "../core/once.ts";
import { kinds } from "../core/vocabulary.ts";
import { encodeRecord, type SpoolRecord } from "../spool/record.ts";
import { type PostponeReason, postponeReasons } from "./postpone.ts";

/** What a delivery was held for last. */
const holds = ["wait", "step", "silence", "watching", "typing", "presence"] as const;

const deliverySchema = once(() =>
  z.object({
    status: z.enum(["open", "sent", "skipped", "failed", "expired"]),
    attempts: z.number().int().nonnegative(),
    /** Number of attempts that came before their time, because the notifier worked again. */
    releases: z.number().int().optional(),
    /** Earliest time of the next attempt, or of the next look at a held delivery, Unix milliseconds. */
    dueAtMs: z.number().optional(),
    /** The notifier's name, where the delivery's own is another: `phone#2`. */
    notifier: z.string().optional(),
    /** Which telling at the notifier, and how long after the event; absent for the first. */
    step: z.number().int().optional(),
    afterMs: z.number().optional(),
    when: z.enum(["away", "here"]).optional(),
    /** Set until it is decided that it is to be told. */
    isUndecided: z.literal(true).optional(),
    heldFor: z.enum(holds).optional(),
    /** When its expiry begins to count, where it was held: the end of that, Unix milliseconds. */
    freshAtMs: z.number().optional(),
  }),
);
/** How far the delivery of an event to a notifier has come. */
export type Delivery = z.output<ReturnType<typeof deliverySchema>>;

const stateSchema = once(() =>
  z.object({
    atMs: z.number(),
    /** When the event's expiry begins to count, Unix milliseconds; later than `atMs` after a manual retry. */
    freshAtMs: z.number(),
    kind: z.enum(kinds),
    /** What the event says, where judging found other words than the payload's. */
    message: z.string().optional(),
    /** The project, where looking it up found another name than the payload's folder has. */
    project: z.string().optional(),
    facts: z.record(z.string(), z.unknown()).transform((facts) => facts as Facts),
    /** Set where nobody sits in front of it: a run without a terminal, or a hook that waits. */
    isUnattended: z.literal(true).optional(),
    deliveries: z.record(z.string(), deliverySchema()),
  }),
);
/** What a run leaves in the record for the next one: an event is classified and looked up once, then delivered. */
export type RunState = z.output<ReturnType<typeof stateSchema>>;

/** The state in a record; undefined in a new record, or where it does not fit the schema. */
export function readState(record: SpoolRecord): RunState | undefined {
  return record.header.state === undefined ? undefined : stateSchema().safeParse(record.header.state).data;
}

const postponementSchema = once(() =>
  z.object({
    /** When the hook took the event in, Unix milliseconds. */
    putOffAtMs: z.number(),
    putOffFor: z.enum(postponeReasons),
  }),
);

/** When the hook took in an event that judging has put off, and what for; undefined for any other record. */
export function readPostponement(record: SpoolRecord): z.output<ReturnType<typeof postponementSchema>> | undefined {
  return record.header.state === undefined ? undefined : postponementSchema().safeParse(record.header.state).data;
}

/** The bytes of a record whose event is to be judged again. */
export function withPostponement(record: SpoolRecord, putOffAtMs: number, putOffFor: PostponeReason): Buffer {
  const state: z.output<ReturnType<typeof postponementSchema>> = { putOffAtMs, putOffFor };
  return encodeRecord({ ...record.header, state }, record.payload, record.end);
}

/** The bytes of a record with another state. */
export function withState(record: SpoolRecord, state: RunState): Buffer {
  return encodeRecord({ ...record.header, state }, record.payload, record.end);
}
