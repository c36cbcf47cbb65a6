import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DeliveryError } from "../core/errors.ts";
import { replaceQuietly } from "../files/atomic-file.ts";
import { readQuietly } from "../files/read-file.ts";
import { type Envelope, envelopeSchema, urgencyOf } from "./envelope.ts";

/** Most that waits for the person's machine; what comes then waits in the spool, and expires there. */
const maxFiles = 20_000;
/** How long something waits; nothing is worth delivering for longer. */
const keptMs = 8 * 24 * 3_600_000;
const temporaryKeptMs = 60_000;

/**
 * `0-0001763823600000-r_….json`: urgency, time of the event, id. Sorted, they are in the order in which they are sent.
 */
const pattern = /^([012])-(\d{16})-(r_[A-Za-z0-9_-]{43})\.json$/;

/** Something that waits, as its file's name describes it. */
export interface OutboxEntry {
  readonly file: string;
  readonly id: string;
  readonly urgency: number;
  /** When it came in, Unix milliseconds. */
  readonly atMs: number;
}

/** The folder in which waits what the person's machine has not acknowledged. */
export class Outbox {
  readonly folder: string;
  #room = 0;

  constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * Stores an envelope, whole or not at all; the same one again takes its own place.
   * @throws {DeliveryError} `unavailable` where it finds no room
   */
  put(envelope: Envelope): void {
    if (this.#room <= 0) this.#room = maxFiles - this.entries().length;
    if (this.#room <= 0) {
      throw new DeliveryError("unavailable", `${maxFiles} events wait already for your own machine to fetch them`, {
        hint: "`beckon relay status` says when it last did.",
      });
    }
    this.#room -= 1;
    const time = String(Math.max(0, Date.parse(envelope.time))).padStart(16, "0");
    const file = `${urgencyOf(envelope)}-${time}-${envelope.id}.json`;
    if (!replaceQuietly(join(this.folder, file), JSON.stringify(envelope))) {
      throw new DeliveryError("unavailable", "it could not be stored in the folder for your own machine");
    }
  }

  /** What waits, in the order in which it is to be sent. */
  entries(): readonly OutboxEntry[] {
    return names(this.folder)
      .sort()
      .flatMap((file) => {
        const [, urgency, time, id] = pattern.exec(file) ?? [];
        return id === undefined ? [] : [{ file, id, urgency: Number(urgency), atMs: Number(time) }];
      });
  }

  /** What a file holds; undefined where it is gone, or nothing that this version can send. */
  read({ file }: OutboxEntry): Envelope | undefined {
    try {
      return envelopeSchema.safeParse(JSON.parse(readQuietly(join(this.folder, file)) ?? "")).data;
    } catch {
      return undefined;
    }
  }

  remove({ file }: OutboxEntry): void {
    rmSync(join(this.folder, file), { force: true });
  }

  /** Removes what nobody has fetched for eight days, and what writers left that were killed. */
  sweep(nowMs: number): void {
    for (const entry of this.entries()) if (nowMs - entry.atMs > keptMs) this.remove(entry);
    for (const file of names(this.folder).filter((name) => name.endsWith(".new"))) {
      const path = join(this.folder, file);
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats && Math.abs(nowMs - stats.mtimeMs) > temporaryKeptMs) rmSync(path, { force: true });
    }
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // none yet
  }
}
