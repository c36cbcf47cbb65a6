import * as z from "zod";
import type { Facts } from "../core/facts.ts";
import { toObject } from "../core/json-value.ts";
import { once } from "../core/once.ts";
import { kinds } from "../core/vocabulary.ts";
import { encodeRecord, type SpoolRecord } from "../spool/record.ts";
import { type PostponeReason, postponeReasons } from "./postpone.ts";

/** Reasons for holding a delivery. */
const holds = ["wait", "step", "silence", "watching", "typing", "presence"] as const;

const deliverySchema = once(() =>
  z.object({
    status: z.enum(["open", "sent", "skipped", "failed", "expired"]),
    attempts: z.number().int().nonnegative(),
    /** Number of early attempts, made because the notifier worked again. */
    releases: z.number().int().optional(),
    /** Earliest time of the next attempt, or of the next check of a held delivery, Unix milliseconds. */
    dueAtMs: z.number().optional(),
    /** Name of the notifier, if it differs from the delivery's, as in `phone#2`. */
    notifier: z.string().optional(),
    /** Number of the message at the notifier and its delay after the event; absent for the first. */
    step: z.number().int().optional(),
    afterMs: z.number().optional(),
    when: z.enum(["away", "here"]).optional(),
    /** Set until it is decided whether to send the message. */
    isUndecided: z.literal(true).optional(),
    heldFor: z.enum(holds).optional(),
    /** Time from which its expiry counts: the end of its hold, Unix milliseconds. */
    freshAtMs: z.number().optional(),
  }),
);
/** Progress of an event's delivery to a notifier. */
export type Delivery = z.output<ReturnType<typeof deliverySchema>>;

const stateSchema = once(() =>
  z.object({
    atMs: z.number(),
    /** Time from which the event's expiry counts, Unix milliseconds; later than `atMs` after a manual retry. */
    freshAtMs: z.number(),
    kind: z.enum(kinds),
    /** Message, if judging found a better one than the payload's. */
    message: z.string().optional(),
    /** Project, if lookups found another name than the payload's folder. */
    project: z.string().optional(),
    facts: z.record(z.string(), z.unknown()).transform((facts) => facts as Facts),
    /** Set for a headless run, or a hook that waits: no user is watching. */
    isUnattended: z.literal(true).optional(),
    deliveries: z.record(z.string(), deliverySchema()),
  }),
);
/** State that a run leaves in the record for the next one: an event is classified and looked up only once. */
export type RunState = z.output<ReturnType<typeof stateSchema>>;

/** Reads the state in a record; undefined in a new record or for an invalid state. */
export function readState(record: SpoolRecord): RunState | undefined {
  return record.header.state === undefined ? undefined : stateSchema().safeParse(record.header.state).data;
}

const postponementSchema = once(() =>
  z.object({
    /** Arrival time of the event, Unix milliseconds. */
    postponedAtMs: z.number(),
    postponedFor: z.enum(postponeReasons),
  }),
);

/** Reads the arrival time and reason of a postponed event; undefined for any other record. */
export function readPostponement(record: SpoolRecord): z.output<ReturnType<typeof postponementSchema>> | undefined {
  const { putOffAtMs, putOffFor, ...state } = toObject(record.header.state); // names that earlier versions wrote
  return postponementSchema().safeParse({ postponedAtMs: putOffAtMs, postponedFor: putOffFor, ...state }).data;
}

/** Encodes the record of an event that is to be judged again. */
export function withPostponement(record: SpoolRecord, postponedAtMs: number, postponedFor: PostponeReason): Buffer {
  const state: z.output<ReturnType<typeof postponementSchema>> = { postponedAtMs, postponedFor };
  return encodeRecord({ ...record.header, state }, record.payload, record.end);
}

/** Encodes a record with a new state. */
export function withState(record: SpoolRecord, state: RunState): Buffer {
  return encodeRecord({ ...record.header, state }, record.payload, record.end);
}
