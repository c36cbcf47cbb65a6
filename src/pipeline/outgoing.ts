import { threadKey } from "../attention/thread-key.ts";
import type { ConfiguredNotifier } from "../config/config.ts";
import type { AgentEvent } from "../core/event.ts";
import type { EventView } from "../core/event-view.ts";
import type { AnswerOffer, Reaction, Thread } from "../core/notifier-call.ts";
import type { AnswerChoice } from "../core/permission-reply.ts";
import type { Delivery } from "./run-state.ts";

/** Message to be sent: the event that it is about and the notifier that sends it. */
export interface OutgoingEvent extends EventView {
  readonly configured: ConfiguredNotifier;
  /** Other events in the same message. */
  readonly others?: readonly EventView[];
  /** Number of this message among the notifier's messages about the event, from 1; absent if it is sent at once. */
  readonly step?: number;
  /** Thread of the message; absent in a test message and in beckon's own notices. */
  readonly thread?: Thread;
  /** Permission request that the message's buttons may answer. */
  readonly offer?: AnswerOffer;
  /** End of the permission request that the message's buttons could answer. */
  readonly outcome?: AskOutcome;
  /** Called when a person reacts to the message. */
  readonly onReaction?: (reaction: Reaction) => void;
}

/** End of a permission request that could be answered elsewhere. */
export interface AskOutcome {
  /** Answer that was given; absent if none was given in time. */
  readonly choice?: AnswerChoice;
  /** Name of the user who answered. */
  readonly by?: string;
  /** Origin of the answer: a notifier's name, `terminal` or `board`. */
  readonly via?: string;
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
