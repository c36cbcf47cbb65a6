import * as z from "zod";
import { threadKey } from "../attention/session-keys.ts";
import type { ConfiguredNotifier } from "../config/config.ts";
import type { AgentEvent, EventView } from "../core/event.ts";
import type { Facts } from "../core/facts.ts";
import type { NotifierCall, Thread } from "../core/notifier-call.ts";
import { once } from "../core/once.ts";
import type { Answer } from "../core/permission-reply.ts";
import { kinds } from "../core/vocabulary.ts";
import { encodeRecord, type SpoolRecord } from "../spool/record.ts";
import { postponeReasons } from "./postpone.ts";

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
    /** Reason why the delivery is held. */
    heldFor: z.enum(["wait", "step", "silence", "watching", "typing", "presence"]).optional(),
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
    brief: z.string().optional(),
    /** Project that lookups found, if it differs from the payload's folder. */
    project: z.string().optional(),
    projectDir: z.string().optional(),
    otherPaths: z.array(z.string()).readonly().optional(),
    facts: z.record(z.string(), z.unknown()).transform((facts) => facts as Facts),
    /** Set if no user watches the session: it is headless, or its hook waits for the delivery. */
    isUnattended: z.literal(true).optional(),
    /** Shortest wait before the first message, if it is not that of the configuration, in milliseconds. */
    minWaitMs: z.number().optional(),
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

type Postponed = z.output<ReturnType<typeof postponementSchema>>;

/** Reads the arrival time of a postponed event and the reason; undefined for any other record. */
export function readPostponement(record: SpoolRecord): Postponed | undefined {
  return postponementSchema().safeParse(record.header.state).data;
}

/** Encodes the spool record of an event with new progress, or of one that is to be judged again later. */
export function withState(record: SpoolRecord, state: RunState | Postponed): Buffer {
  return encodeRecord({ ...record.header, state }, record.payload, record.end);
}

/** Message to be sent: the event that it is about and the notifier that sends it. */
export interface OutgoingEvent extends EventView, Pick<NotifierCall<never>, "thread" | "offer" | "onReaction"> {
  readonly configured: ConfiguredNotifier;
  /** Other events in the same message. */
  readonly others?: readonly EventView[];
  /** Number of this message among the notifier's messages about the event, from 1; absent if it is sent at once. */
  readonly step?: number;
  /** End of the permission request that the message's buttons could answer. */
  readonly outcome?: AskOutcome;
}

/** End of a permission request that could be answered elsewhere: its answer, unless none was given in time. */
export interface AskOutcome extends Partial<Answer> {
  /** Time of the end, Unix milliseconds. */
  readonly atMs: number;
}

/** Delivery of an event to a notifier, with its progress. */
export interface PendingDelivery extends OutgoingEvent {
  readonly delivery: Delivery;
  /** Time at which the event's expiry begins to count, Unix milliseconds. */
  readonly freshAtMs: number;
  /** Set if this delivery was released before its time, because another delivery to the notifier succeeded. */
  readonly isReleased?: true;
  /** Original due time of a released delivery, Unix milliseconds. */
  readonly scheduledAtMs?: number;
}

/** Builds a message about one or more events; by default, in the thread of the first event's session. */
export function buildOutgoing(
  configured: ConfiguredNotifier,
  [first, ...others]: readonly [EventView, ...EventView[]],
  thread: Thread = { key: threadKey(first.event) },
): OutgoingEvent {
  const { event, facts } = first;
  const more = others.map((other) => ({ event: other.event, facts: other.facts }));
  return { configured, event, facts, ...(more.length > 0 && { others: more }), thread };
}

/** Lists all events of a message, starting with the first. */
export function listEvents({ event, others = [] }: OutgoingEvent): readonly AgentEvent[] {
  return [event, ...others.map((other) => other.event)];
}
