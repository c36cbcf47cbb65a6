import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type * as z from "zod";
import { BeckonError, InputError } from "../core/errors.ts";
import { describeIssue } from "../core/issue-words.ts";
import type { ClockPort, RelayedState } from "../core/ports.ts";
import { stateEvent } from "../core/vocabulary.ts";
import { replaceQuietly } from "../files/atomic-file.ts";
import { crashPoint } from "../files/crash-point.ts";
import type { Paths } from "../files/paths.ts";
import type { Journal } from "../journal/journal.ts";
import { isPending, put } from "../spool/put.ts";
import { encodeRecord, type RecordHeader } from "../spool/record.ts";
import { sweepDead } from "../spool/sweep.ts";
import { cleanLine } from "../text/clean.ts";
import { dayMs, utcDay } from "../text/time.ts";
import {
  type Envelope,
  envelopeSchema,
  eventDataSchema,
  type RawEnvelope,
  readKind,
  stateDataSchema,
  stateType,
} from "./envelope.ts";
import { unseal } from "./seal.ts";

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

/** Number of days that ids are kept. Senders keep an envelope for eight days. */
const keptDays = 9;
const fileName = /^\d{4}-\d{2}-\d{2}$/;

/** Certainty that an event was stored. With `begun`, an earlier process may have ended before storing the event. */
type Certainty = "stored" | "begun";

/**
 * Ids of events from other machines, for dropping duplicates. Each day has a file with one line for each id, `host id`.
 * Neither part contains a space. The line is written before the event is stored in the spool.
 */
export class Received {
  readonly #folder: string;
  readonly #known = new Map<string, Certainty>();

  /**
   * Reads the ids from disk. They count as `begun`, because an earlier process may have ended before it stored the
   * event.
   */
  constructor(folder: string, nowMs: number) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const oldest = utcDay(nowMs - keptDays * dayMs);
    for (const file of readdirSync(folder).filter((name) => fileName.test(name))) {
      if (file < oldest) rmSync(join(folder, file), { force: true });
      else
        for (const line of readFileSync(join(folder, file), "utf8").split("\n"))
          if (line !== "") this.#known.set(line, "begun");
    }
  }

  find(host: string, id: string): Certainty | undefined {
    return this.#known.get(`${host} ${id}`);
  }

  /** Records that an event is about to be stored. @throws the system's error if the id cannot be written */
  markBegun(host: string, id: string, nowMs: number): void {
    const line = `${host} ${id}`;
    if (this.#known.has(line)) return;
    // On a full disk a line may be cut short and match no id. The leading line feed keeps the next line intact.
    appendFileSync(join(this.#folder, utcDay(nowMs)), `\n${line}\n`, { mode: 0o600 });
    this.#known.set(line, "begun");
  }

  markStored(host: string, id: string): void {
    this.#known.set(`${host} ${id}`, "stored");
  }
}

/** Maximum number of rejected envelopes per machine and minute that are journalled and kept. */
const rejectedPerMinute = 10;
/** Maximum size kept of a rejected envelope, bytes. */
export const maxRejectedBytes = 64 * 1024;
const windowMs = 60_000;
/** Maximum number of machines with a separate count. Further machines share one count. */
const maxHosts = 10_000;

/** Journals and keeps malformed envelopes from other machines. Each machine has a budget per minute. */
export class Rejections {
  readonly #clock: ClockPort;
  readonly #paths: Pick<Paths, "spool">;
  readonly #windows = new Map<string, { readonly startedAtMs: number; count: number }>();

  constructor(paths: Pick<Paths, "spool">, clock: ClockPort) {
    this.#paths = paths;
    this.#clock = clock;
  }

  /**
   * Journals a rejected envelope and keeps its first 64 KiB in `dead/`. Once the machine's budget is used up, journals
   * one more envelope and only counts the others. `text` is the envelope's text, unchanged.
   * @returns false if the machine's budget for this minute is used up
   */
  note(
    { id, host, reason, text }: Readonly<Record<"id" | "host" | "reason" | "text", string>>,
    journal: Journal,
  ): boolean {
    this.flush(journal);
    const window = this.#windowFor(host);
    window.count += 1;
    const excess = window.count - rejectedPerMinute;
    const journalled = excess <= 0 ? reason : `${reason}; more than ${rejectedPerMinute} a minute are only counted`;
    if (excess <= 1) journal.write({ id, host, status: "rejected", reason: journalled });
    if (excess > 0) return false;
    const { spool } = this.#paths;
    const kept = Buffer.from(text).subarray(0, maxRejectedBytes);
    if (replaceQuietly(join(spool, "dead", `${id}.json`), kept.toString())) sweepDead(spool, this.#clock.now());
    return true;
  }

  /**
   * Journals for each machine, one minute after its first rejection, the number of envelopes that were only counted.
   */
  flush(journal: Journal): void {
    const now = this.#clock.uptimeMs();
    for (const [host, { startedAtMs, count }] of this.#windows) {
      if (now - startedAtMs < windowMs) continue;
      this.#windows.delete(host);
      const more = count - rejectedPerMinute - 1;
      if (more > 0) {
        const reason = `${more} more could not be read within a minute`;
        journal.write({ id: `rejected-${host}`.slice(0, 64), host, status: "rejected", reason });
      }
    }
  }

  #windowFor(host: string) {
    const key = this.#windows.has(host) || this.#windows.size < maxHosts ? host : "others";
    const window = this.#windows.get(key) ?? { startedAtMs: this.#clock.uptimeMs(), count: 0 };
    this.#windows.set(key, window);
    return window;
  }
}
