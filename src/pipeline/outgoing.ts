import { threadKey } from "../attention/thread-key.ts";
import type { ConfiguredNotifier } from "../config/config.ts";
import type { AgentEvent } from "../core/event.ts";
import type { EventView } from "../core/event-view.ts";
import type { Reaction, Thread } from "../core/notifier-call.ts";
import type { Delivery } from "./run-state.ts";

/** An event and the notifier it goes to. */
export interface OutgoingEvent extends EventView {
  readonly configured: ConfiguredNotifier;
  /** Further events in the same message. */
  readonly others?: readonly EventView[];
  /** Number of a later message about the same event, from 1; absent for the first. */
  readonly step?: number;
  /** The conversation its message belongs to; absent in a test message and in beckon's own notices. */
  readonly thread?: Thread;
  /** Called when a person reacts to its message. */
  readonly onReaction?: (reaction: Reaction) => void;
}

/** An event on its way to a notifier, and how far it has come. */
export interface PendingDelivery extends OutgoingEvent {
  readonly delivery: Delivery;
  /** When the event's expiry begins to count, Unix milliseconds. */
  readonly freshAtMs: number;
  /** Set where another delivery's success has released it: its attempt comes before its time. */
  readonly isReleased?: true;
  /** When a released delivery's next attempt was due, Unix milliseconds. */
  readonly scheduledAtMs?: number;
}

/** Builds a message about events, the first of which leads it, in a thread: by default that of the first's session. */
export function buildOutgoing(
  configured: ConfiguredNotifier,
  [first, ...others]: readonly [EventView, ...EventView[]],
  thread: Thread = { key: threadKey(first.event) },
): OutgoingEvent {
  const { event, facts } = first;
  const more = others.map((one) => ({ event: one.event, facts: one.facts }));
  return { configured, event, facts, ...(more.length > 0 && { others: more }), thread };
}

/** All events of a message, the one that leads it first. */
export function eventsOf({ event, others = [] }: OutgoingEvent): readonly AgentEvent[] {
  return [event, ...others.map((one) => one.event)];
}
