import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DeliveryError } from "../core/errors.ts";
import { parseJson } from "../core/json-value.ts";
import { replaceQuietly } from "../files/atomic-file.ts";
import { listQuietly, readQuietly } from "../files/read-file.ts";
import { dayMs } from "../text/time.ts";
import { type Envelope, envelopeSchema, rankForSending } from "./envelope.ts";

/** Maximum number of envelopes in the outbox. Further events wait in the spool, where they expire. */
const maxFiles = 20_000;
/** Longest time an envelope is kept, milliseconds: 8 days. */
const maxAgeMs = 8 * dayMs;
const temporaryMaxAgeMs = 60_000;

/** Name of an envelope file, `0-0001763823600000-r_….json`: urgency, time, id. Names sort in sending order. */
const fileNamePattern = /^([012])-(\d{16})-(r_[A-Za-z0-9_-]{43})\.json$/;

/** A waiting envelope. Its fields come from the file name. */
export interface OutboxEntry {
  readonly file: string;
  readonly id: string;
  readonly urgency: number;
  /** Time the event arrived on this machine, Unix milliseconds. */
  readonly atMs: number;
}

/** Folder of envelopes that the user's machine has not acknowledged yet. */
export class Outbox {
  readonly folder: string;
  #freeSlots = 0;

  constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * Stores an envelope atomically. A duplicate overwrites the existing file.
   * @throws {DeliveryError} `unavailable` if the outbox or the disk is full
   */
  store(envelope: Envelope): void {
    if (this.#freeSlots <= 0) this.#freeSlots = maxFiles - this.entries().length;
    if (this.#freeSlots <= 0) {
      throw new DeliveryError("unavailable", `${maxFiles} events wait already for your own machine to fetch them`, {
        hint: "`beckon relay status` says when it last did.",
      });
    }
    this.#freeSlots -= 1;
    const time = String(Math.max(0, Date.parse(envelope.time))).padStart(16, "0");
    const file = `${rankForSending(envelope)}-${time}-${envelope.id}.json`;
    if (!replaceQuietly(join(this.folder, file), JSON.stringify(envelope))) {
      throw new DeliveryError("unavailable", "it could not be stored in the folder for your own machine");
    }
  }

  /** Lists the waiting envelopes in sending order. */
  entries(): readonly OutboxEntry[] {
    return listQuietly(this.folder)
      .sort()
      .flatMap((file) => {
        const [, urgency, time, id] = fileNamePattern.exec(file) ?? [];
        return id === undefined ? [] : [{ file, id, urgency: Number(urgency), atMs: Number(time) }];
      });
  }

  /** Reads an envelope; undefined if its file is gone or the envelope is invalid in this version. */
  read({ file }: OutboxEntry): Envelope | undefined {
    return envelopeSchema.safeParse(parseJson(readQuietly(join(this.folder, file)) ?? "")).data;
  }

  remove({ file }: OutboxEntry): void {
    rmSync(join(this.folder, file), { force: true });
  }

  /** Deletes envelopes older than eight days, and temporary files left by killed processes. */
  sweep(nowMs: number): void {
    for (const entry of this.entries()) if (nowMs - entry.atMs > maxAgeMs) this.remove(entry);
    for (const file of listQuietly(this.folder).filter((name) => name.endsWith(".tmp"))) {
      const path = join(this.folder, file);
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats && Math.abs(nowMs - stats.mtimeMs) > temporaryMaxAgeMs) rmSync(path, { force: true });
    }
  }
}
