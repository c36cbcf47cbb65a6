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
  kindOf,
  type Sent,
  stateDataSchema,
  stateType,
} from "./envelope.ts";
import type { Received } from "./received.ts";
import type { Rejections } from "./rejections.ts";
import { unseal } from "./seal.ts";

/**
 * Most that may wait in the spool before nothing more is taken in; what needs the person still is, up to the second.
 */
const maxWaiting = 500;
const maxWaitingUrgent = 900;

/** What takes in what other machines send. */
export interface Inbox {
  readonly paths: Paths;
  readonly journal: Journal;
  readonly received: Received;
  readonly rejections: Rejections;
  /** The secret key that opens what is sealed. */
  readonly identity: string | undefined;
  readonly clock: ClockPort;
}

/** By whom, and by which clock, an envelope is sent. */
export interface Sender {
  /** Its name in the configuration: what an envelope itself says counts for nothing. */
  readonly host: string;
  /** What its clock is ahead of this one's, milliseconds. */
  readonly aheadMs: number;
}

/** How many events wait in the spool. */
export function countWaiting({ spool }: Pick<Paths, "spool">): number {
  return readdirSync(join(spool, "new")).length + readdirSync(join(spool, "cur")).length;
}

/** Whether a spool in which so many wait has room for one more from other machines. */
export function hasRoom(waiting: number, isUrgent: boolean): boolean {
  return waiting < (isUrgent ? maxWaitingUrgent : maxWaiting);
}

/**
 * Stores what was sent in the spool, unless it was before. What cannot be read is rejected, within the machine's budget
 * for that. Once this has resolved to true it may be acknowledged.
 * @returns false for what is rejected beyond the budget
 * @throws the system's error where it cannot be stored; it must not be acknowledged then
 */
export async function receive(sent: Sent, sender: Sender, inbox: Inbox): Promise<boolean> {
  const { received, clock, paths } = inbox;
  const { host } = sender;
  const { id } = sent;
  const certainty = received.of(host, id);
  if (certainty !== "stored" && !(certainty === "begun" && wasStored(id, inbox))) {
    const record = await recordOrReject(sent, sender, inbox);
    if (record === "over budget") return false;
    received.begin(host, id, clock.now());
    crashPoint("relay:noted");
    rmSync(join(paths.spool, "tmp", id), { force: true }); // of a process that was killed over it
    if (record !== "rejected") put(paths.spool, id, record);
    crashPoint("relay:received");
  }
  received.stored(host, id);
  return true;
}

/** Whether what an earlier process began is in the spool, or was: then the journal has it. */
function wasStored(id: string, { paths: { spool }, journal }: Inbox): boolean {
  return isPending(spool, id) || existsSync(join(spool, "dead", `${id}.json`)) || journal.linesOf(id).length > 0;
}

async function recordOrReject(sent: Sent, sender: Sender, inbox: Inbox): Promise<Buffer | "rejected" | "over budget"> {
  try {
    const envelope = read(envelopeSchema, sent);
    return recordOf(envelope, await unseal(envelope, inbox.identity), sender, inbox.clock.now());
  } catch (error) {
    const reason = error instanceof BeckonError ? `${error.code}: ${error.message}` : "a fault in reading it";
    const rejected = { id: sent.id, host: sender.host, reason, text: JSON.stringify(sent) };
    return inbox.rejections.note(rejected, inbox.journal) ? "rejected" : "over budget";
  }
}

/** The record of what an envelope holds. @throws {InputError} `relay.data` where it is not what its type says */
function recordOf({ type, time }: Envelope, data: unknown, { host, aheadMs }: Sender, nowMs: number): Buffer {
  const here = (atMs: number): number => Math.min(nowMs, atMs - aheadMs);
  if (type === stateType) {
    const { states } = read(stateDataSchema, data);
    return stateRecord(
      host,
      states.map((one) => ({ ...one, atMs: here(one.atMs) })),
    );
  }
  const event = read(eventDataSchema, data);
  const payload = { ...event, kind: kindOf(type), atMs: here(Date.parse(time)) };
  return judgedRecord({ event: event.event, agent: event.agent, host }, payload);
}

/** The record of what became of a machine's events. */
export function stateRecord(host: string, states: readonly RelayedState[]): Buffer {
  return judgedRecord({ event: stateEvent, host }, { states });
}

function judgedRecord(header: Pick<RecordHeader, "event" | "agent" | "host">, payload: object): Buffer {
  return encodeRecord({ v: 2, ...header, judged: true }, Buffer.from(JSON.stringify(payload)));
}

function read<Data>(schema: z.ZodType<Data>, data: unknown): Data {
  const { data: found, error } = schema.safeParse(data, { error: describeIssue });
  if (found !== undefined) return found;
  const [issue] = error?.issues ?? [];
  const where = issue?.path.join(".") || "it";
  throw new InputError("relay.data", cleanLine(`not what its type says: ${where}: ${issue?.message ?? "invalid"}`));
}
