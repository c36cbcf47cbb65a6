import * as z from "zod";
import { threadKey } from "../attention/thread-key.ts";
import type { EventView } from "../core/event-view.ts";
import { relayedEventSchema, relayedStateSchema, toRelayed } from "../core/relayed.ts";
import type { RelayedState } from "../core/relayed-state.ts";
import { type Kind, kinds } from "../core/vocabulary.ts";

export const stateType = "io.beckon.agent.state.v1";

/** The same each time the same is sent, and for nobody to guess; never the name of a file that this machine made. */
const wireId = z.string().regex(/^r_[A-Za-z0-9_-]{43}$/);

/** As much of an envelope as is needed to order and acknowledge it, whatever else is wrong with it. */
export const sentSchema = z.looseObject({ id: wireId, type: z.string().max(100) });
export type Sent = z.output<typeof sentSchema>;

/**
 * What goes from one beckon to another: a CloudEvent in its JSON format, whose `data` is an event or what became of
 * events; sealed, `data_base64` has the same, encrypted by age. Id, kind, time and session stay open, so that what is
 * sealed can be ordered and addressed.
 * https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md
 */
export const envelopeSchema = z.object({
  specversion: z.literal("1.0"),
  id: wireId,
  /** Who says it is from where; what counts is the way by which it came. */
  source: z.string().max(300),
  type: z.enum([...kinds.map(eventType), stateType]),
  /** When the event came in there, by that machine's clock, ISO 8601. */
  time: z.iso.datetime(),
  /** The session's key there. */
  subject: z.string().max(64),
  datacontenttype: z.enum(["application/json", "application/age"]),
  data: z.unknown().optional(),
  data_base64: z.base64().optional(),
});
export type Envelope = z.output<typeof envelopeSchema>;

/** What `data` holds, by the type. */
export const eventDataSchema = relayedEventSchema.omit({ kind: true });
export const stateDataSchema = z.object({ states: z.array(relayedStateSchema).max(1_000) });

/** Largest envelope, in bytes of JSON: 64 KiB. */
export const maxEnvelopeBytes = 64 * 1024;

/** The envelope of an event. */
export function eventEnvelope(id: string, host: string, view: EventView): Envelope {
  const { kind, ...data } = toRelayed(view);
  const { atMs } = view.event;
  return { ...openPart(id, host, atMs), type: eventType(kind), subject: threadKey(view.event), data };
}

/** The envelope of what became of events; `states` name them by the ids of their envelopes. */
export function stateEnvelope(id: string, host: string, states: readonly RelayedState[]): Envelope {
  const atMs = Math.max(...states.map((one) => one.atMs));
  return { ...openPart(id, host, atMs), type: stateType, subject: "states", data: { states } };
}

function openPart(id: string, host: string, atMs: number) {
  const time = new Date(atMs).toISOString();
  return { specversion: "1.0", id, source: `beckon://${host}`, time, datacontenttype: "application/json" } as const;
}

/**
 * How urgent an envelope is to be sent: what is over first, so that nobody is called for it, then what needs the
 * person.
 */
export function urgencyOf({ type }: Pick<Sent, "type">): 0 | 1 | 2 {
  if (type === stateType) return 0;
  return type === eventType("needs-you") ? 1 : 2;
}

export function isUrgent(sent: Pick<Sent, "type">): boolean {
  return urgencyOf(sent) < 2;
}

/** The kind that an event's type names; undefined for states. */
export function kindOf(type: string): Kind | undefined {
  return kinds.find((kind) => type === eventType(kind));
}

function eventType(kind: Kind) {
  return `io.beckon.agent.${kind}.v1` as const;
}
