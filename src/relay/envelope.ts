import { createHmac, randomBytes } from "node:crypto";
import { dirname } from "node:path";
import * as z from "zod";
import { threadKey } from "../attention/session-keys.ts";
import type { EventView } from "../core/event.ts";
import type { RelayedState } from "../core/ports.ts";
import { relayedEventSchema, relayedStateSchema, toRelayed } from "../core/relayed.ts";
import { type Kind, kinds } from "../core/vocabulary.ts";
import { createFile, makePrivateFolder, replaceFile } from "../files/atomic-file.ts";
import { readQuietly } from "../files/read-file.ts";

export const stateType = "io.beckon.agent.state.v1";

/** Stable, unguessable id of an event. It differs from the event's id on the sending machine. */
const wireId = z.string().regex(/^r_[A-Za-z0-9_-]{43}$/);

/** Envelope fields needed to order and acknowledge an envelope, even if its other fields are malformed. */
export const rawEnvelopeSchema = z.looseObject({ id: wireId, type: z.string().max(100) });
export type RawEnvelope = z.output<typeof rawEnvelopeSchema>;

/**
 * Message from one beckon to another: a CloudEvent in JSON. Its `data` is one event, or later states of several events.
 * A sealed envelope has `data_base64` instead, encrypted with age. Id, kind, time and session are never encrypted, so
 * that a sealed envelope can be ordered and addressed.
 * https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md
 */
export const envelopeSchema = z.object({
  specversion: z.literal("1.0"),
  id: wireId,
  /** Sender that the envelope claims. It is not trusted; the connection identifies the sender. */
  source: z.string().max(300),
  type: z.enum([...kinds.map(eventType), stateType]),
  /** Time the event arrived at the sending machine, by that machine's clock, ISO 8601. */
  time: z.iso.datetime(),
  /** Key of the session on the sending machine. */
  subject: z.string().max(64),
  datacontenttype: z.enum(["application/json", "application/age"]),
  data: z.unknown().optional(),
  data_base64: z.base64().optional(),
});

export type Envelope = z.output<typeof envelopeSchema>;

/** Schema of an event envelope's `data`. */
export const eventDataSchema = relayedEventSchema.omit({ kind: true });
export const stateDataSchema = z.object({ states: z.array(relayedStateSchema).max(1_000) });

/** Maximum size of an envelope as JSON, bytes: 64 KiB. */
export const maxEnvelopeBytes = 64 * 1024;

export function eventEnvelope(id: string, host: string, view: EventView): Envelope {
  const { kind, ...data } = toRelayed(view);
  const { atMs } = view.event;
  return { ...openPart(id, host, atMs), type: eventType(kind), subject: threadKey(view.event), data };
}

/** Makes an envelope for states of earlier events. Each state names its event by envelope id. */
export function stateEnvelope(id: string, host: string, states: readonly RelayedState[]): Envelope {
  const atMs = Math.max(...states.map((state) => state.atMs));
  return { ...openPart(id, host, atMs), type: stateType, subject: "states", data: { states } };
}

function openPart(id: string, host: string, atMs: number) {
  const time = new Date(atMs).toISOString();
  return { specversion: "1.0", id, source: `beckon://${host}`, time, datacontenttype: "application/json" } as const;
}

/**
 * Ranks an envelope for sending. States come first (0), because an event that is already resolved sends no message;
 * then requests (1), then other events (2).
 */
export function rankForSending({ type }: Pick<RawEnvelope, "type">): 0 | 1 | 2 {
  if (type === stateType) return 0;
  return type === eventType("needs-you") ? 1 : 2;
}

export function isUrgent(sent: Pick<RawEnvelope, "type">): boolean {
  return rankForSending(sent) < 2;
}

/** Reads the event's kind from an envelope type; undefined for states. */
export function readKind(type: string): Kind | undefined {
  return kinds.find((kind) => type === eventType(kind));
}

function eventType(kind: Kind) {
  return `io.beckon.agent.${kind}.v1` as const;
}

/**
 * Creates a function that converts an event's local id to the id that other machines see. The result is the same for
 * every connection and attempt. It is unguessable, unlike some launchers' local ids.
 * @param file file with this machine's secret, created if missing
 */
export function wireIds(file: string): (id: string) => string {
  const secret = readOrCreateSecret(file);
  return (id) => `r_${createHmac("sha256", secret).update(id).digest("base64url")}`;
}

/** Reads the secret, or creates it. @throws the system's error if the file cannot be read or written */
function readOrCreateSecret(file: string): string {
  const known = readQuietly(file)?.trim();
  if (known) return known;
  makePrivateFolder(dirname(file));
  const secret = `${randomBytes(32).toString("base64url")}\n`;
  if (known === undefined)
    createFile(file, secret); // unless another process created the file first
  else replaceFile(file, secret); // the file was empty
  const made = readQuietly(file)?.trim();
  if (!made) throw new Error(`${file} holds no secret`);
  return made;
}
