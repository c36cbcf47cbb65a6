import type { ConfiguredNotifier } from "../config/config.ts";
import type { AgentEvent } from "../core/event.ts";
import type { EventView } from "../core/event-view.ts";
import type { Reaction, Thread } from "../core/notifier-call.ts";
import type { Delivery } from "./run-state.ts";

/** An event and the notifier it goes to. */
export interface OutgoingEvent extends EventView {
  readonly configured: ConfiguredNotifier;
  /** Events that the same message tells of. */
  readonly others?: readonly EventView[];
  /** Which telling of the event it is, from 1; absent for the first. */
  readonly step?: number;
  /** What its message belongs to; absent in a test message and in beckon's own notices. */
  readonly thread?: Thread;
  /** What a person's reaction to its message comes to. */
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

/** All events that a message tells of, the one that leads it first. */
export function eventsOf({ event, others = [] }: OutgoingEvent): readonly AgentEvent[] {
  return [event, ...others.map((one) => one.event)];
}
