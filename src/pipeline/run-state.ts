import * as z from "zod";
import type { Facts } from "../core/facts.ts";
import { toObject } from "../core/json-value.ts";
import { once } from "../core/once.ts";
import { kinds } from "../core/vocabulary.ts";
import { encodeRecord, type SpoolRecord } from "../spool/record.ts";
import { type PostponeReason, postponeReasons } from "./postpone.ts";

/** Reasons why a delivery is held. */
const holds = ["wait", "step", "silence", "watching", "typing", "presence"] as const;

const deliverySchema = once(() =>
  z.object({
    status: z.enum(["open", "sent", "skipped", "failed", "expired"]),
    attempts: z.number().int().nonnegative(),
    /** Number of failed attempts that were made before their time, because the notifier worked again. */
    releases: z.number().int().optional(),
    /** Earliest time of the next attempt, or of the next check of a held delivery, Unix milliseconds. */
    dueAtMs: z.number().optional(),
    /** Name of the notifier, if the delivery's key differs from the name, as in `phone#2`. */
    notifier: z.string().optional(),
    /** Number of this message among the notifier's messages about the event; absent if it is sent at once. */
    step: z.number().int().optional(),
    /** Delay of the message after the event, in milliseconds; absent if there is none. */
    afterMs: z.number().optional(),
    when: z.enum(["away", "here"]).optional(),
    /** Set while beckon has not decided whether to send the message. */
    isUndecided: z.literal(true).optional(),
    heldFor: z.enum(holds).optional(),
    /** End of the delivery's hold, from which its expiry counts, Unix milliseconds. */
    freshAtMs: z.number().optional(),
  }),
);
/** Progress of an event's delivery to a notifier. */
export type Delivery = z.output<ReturnType<typeof deliverySchema>>;

const stateSchema = once(() =>
  z.object({
    atMs: z.number(),
    /** Time at which the event's expiry begins to count, Unix milliseconds. Later than `atMs` after a manual retry. */
    freshAtMs: z.number(),
    kind: z.enum(kinds),
    /** Message that judging found, if it differs from the payload's. */
    message: z.string().optional(),
    /** Project that lookups found, if it differs from the payload's folder. */
    project: z.string().optional(),
    facts: z.record(z.string(), z.unknown()).transform((facts) => facts as Facts),
    /** Set if no user watches the session: it is headless, or its hook waits for the delivery. */
    isUnattended: z.literal(true).optional(),
    deliveries: z.record(z.string(), deliverySchema()),
  }),
);
/** Progress of an event that is stored with its spool record, so that the event is looked up and judged only once. */
export type RunState = z.output<ReturnType<typeof stateSchema>>;

/** Reads an event's progress from its spool record; undefined if the event is new or the stored progress is invalid. */
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

/** Reads the arrival time of a postponed event and the reason; undefined for any other record. */
export function readPostponement(record: SpoolRecord): z.output<ReturnType<typeof postponementSchema>> | undefined {
  const { putOffAtMs, putOffFor, ...state } = toObject(record.header.state); // names that earlier versions wrote
  return postponementSchema().safeParse({ postponedAtMs: putOffAtMs, postponedFor: putOffFor, ...state }).data;
}

/** Encodes the spool record of an event that is to be judged again later. */
export function withPostponement(record: SpoolRecord, postponedAtMs: number, postponedFor: PostponeReason): Buffer {
  const state: z.output<ReturnType<typeof postponementSchema>> = { postponedAtMs, postponedFor };
  return encodeRecord({ ...record.header, state }, record.payload, record.end);
}

/** Encodes a spool record with new progress. */
export function withState(record: SpoolRecord, state: RunState): Buffer {
  return encodeRecord({ ...record.header, state }, record.payload, record.end);
}
