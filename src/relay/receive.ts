import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type * as z from "zod";
import { BeckonError, InputError } from "../core/errors.ts";
import { describeIssue } from "../core/issue-words.ts";
import type { ClockPort } from "../core/ports.ts";
import type { RelayedState } from "../core/relayed-state.ts";
import { stateEvent } from "../core/vocabulary.ts";
import { crashPoint } from "../files/crash-point.ts";
import type { Paths } from "../files/paths.ts";
import type { Journal } from "../journal/journal.ts";
import { isPending, put } from "../spool/put.ts";
import { encodeRecord, type RecordHeader } from "../spool/record.ts";
import { cleanLine } from "../text/clean.ts";
import {
  type Envelope,
  envelopeSchema,
  eventDataSchema,
  type RawEnvelope,
  readKind,
  stateDataSchema,
  stateType,
} from "./envelope.ts";
import type { Received } from "./received.ts";
import type { Rejections } from "./rejections.ts";
import { unseal } from "./seal.ts";

/** Number of waiting events from which on other machines' events are not stored. Urgent events have a higher limit. */
const maxWaiting = 500;
/** Number of waiting events from which on other machines' urgent events are not stored either. */
const maxWaitingUrgent = 900;

/** Dependencies for storing events from other machines. */
export interface Inbox {
  readonly paths: Paths;
  readonly journal: Journal;
  readonly received: Received;
  readonly rejections: Rejections;
  /** Secret key that decrypts sealed envelopes. */
  readonly identity: string | undefined;
  readonly clock: ClockPort;
}

/** Sender of an envelope, and how far the sender's clock is ahead. */
export interface Sender {
  /** Host name from the configuration or the server, never from the envelope itself. */
  readonly host: string;
  /** Time by which the sender's clock is ahead of this machine's clock, milliseconds. */
  readonly aheadMs: number;
}

/** Counts the events waiting in the spool. */
export function countWaiting({ spool }: Pick<Paths, "spool">): number {
  return readdirSync(join(spool, "new")).length + readdirSync(join(spool, "cur")).length;
}

/** Tells if a spool with `waiting` events accepts another event from another machine. */
export function hasRoom(waiting: number, isUrgent: boolean): boolean {
  return waiting < (isUrgent ? maxWaitingUrgent : maxWaiting);
}

/**
 * Stores an envelope in the spool unless it is a duplicate. Journals a malformed envelope as rejected, and counts it
 * against its sender's budget. Once this resolves to true, the envelope may be acknowledged.
 * @returns false if the envelope is malformed and its sender's budget is used up
 * @throws the system's error if the envelope could not be stored and must not be acknowledged
 */
export async function receive(sent: RawEnvelope, sender: Sender, inbox: Inbox): Promise<boolean> {
  const { received, clock, paths } = inbox;
  const { host } = sender;
  const { id } = sent;
  const certainty = received.find(host, id);
  if (certainty !== "stored" && !(certainty === "begun" && wasStored(id, inbox))) {
    const record = await recordOrReject(sent, sender, inbox);
    if (record === "over budget") return false;
    received.markBegun(host, id, clock.now());
    crashPoint("relay:noted");
    rmSync(join(paths.spool, "tmp", id), { force: true }); // a killed process may have left a half-written file
    if (record !== "rejected") put(paths.spool, id, record);
    crashPoint("relay:received");
  }
  received.markStored(host, id);
  return true;
}

/** Tells if an earlier process stored the event. The event is then in the spool or in the journal. */
function wasStored(id: string, { paths: { spool }, journal }: Inbox): boolean {
  return isPending(spool, id) || existsSync(join(spool, "dead", `${id}.json`)) || journal.readLines(id).length > 0;
}

async function recordOrReject(
  sent: RawEnvelope,
  sender: Sender,
  inbox: Inbox,
): Promise<Buffer | "rejected" | "over budget"> {
  try {
    const envelope = validate(envelopeSchema, sent);
    return buildRecord(envelope, await unseal(envelope, inbox.identity), sender, inbox.clock.now());
  } catch (error) {
    const reason = error instanceof BeckonError ? `${error.code}: ${error.message}` : "a fault in reading it";
    const rejected = { id: sent.id, host: sender.host, reason, text: JSON.stringify(sent) };
    return inbox.rejections.note(rejected, inbox.journal) ? "rejected" : "over budget";
  }
}

/** Builds the spool record for an envelope. @throws {InputError} `relay.data` if the data does not match its type */
function buildRecord({ type, time }: Envelope, data: unknown, { host, aheadMs }: Sender, nowMs: number): Buffer {
  const toLocalMs = (atMs: number): number => Math.min(nowMs, atMs - aheadMs);
  if (type === stateType) {
    const { states } = validate(stateDataSchema, data);
    return stateRecord(
      host,
      states.map((state) => ({ ...state, atMs: toLocalMs(state.atMs) })),
    );
  }
  const event = validate(eventDataSchema, data);
  const payload = { ...event, kind: readKind(type), atMs: toLocalMs(Date.parse(time)) };
  return judgedRecord({ event: event.event, agent: event.agent, host }, payload);
}

/** Builds the spool record for later states of events from a machine. */
export function stateRecord(host: string, states: readonly RelayedState[]): Buffer {
  return judgedRecord({ event: stateEvent, host }, { states });
}

function judgedRecord(header: Pick<RecordHeader, "event" | "agent" | "host">, payload: object): Buffer {
  return encodeRecord({ v: 2, ...header, judged: true }, Buffer.from(JSON.stringify(payload)));
}

function validate<Data>(schema: z.ZodType<Data>, data: unknown): Data {
  const { data: found, error } = schema.safeParse(data, { error: describeIssue });
  if (found !== undefined) return found;
  const [issue] = error?.issues ?? [];
  const where = issue?.path.join(".") || "it";
  throw new InputError("relay.data", cleanLine(`not what its type says: ${where}: ${issue?.message ?? "invalid"}`));
}
