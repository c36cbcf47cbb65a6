import { closeSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../core/errors.ts";
import { fault } from "../core/crash-point.ts";

/** The folders of a spool, in the order of an event's life. */
export const spoolFolders = ["tmp", "new", "cur", "dead"] as const;

/** Creates the spool's folders where they are missing, for this user alone. */
export function makeSpool(spool: string): void {
  for (const folder of spoolFolders) mkdirSync(join(spool, folder), { recursive: true, mode: 0o700 });
}

/** An id no other event has. Without `node:crypto`, whose loading alone costs an agent three milliseconds. */
export function newId(): string {
  const random = Math.random().toString(36).slice(2);
  return `${Date.now().toString(36)}-${process.pid.toString(36)}-${random}`;
}

/**
 * Puts a record into the spool: written in `tmp/`, then renamed into `new/`. Not synced to the disk: it survives the
 * death of every process, and a notification is worth nothing after a power cut.
 * @throws the system's error if it could not be stored; nothing half-written is left in `new/`
 */
export function put(spool: string, id: string, record: Buffer): void {
  const temporary = join(spool, "tmp", id);
  const descriptor = openExclusive(spool, temporary);
  try {
    fault("put:opened");
    writeAll(descriptor, record);
    fault("put:written");
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, join(spool, "new", `${id}.json`));
  fault("put:visible");
}

function writeAll(descriptor: number, bytes: Buffer): void {
  const half = bytes.length >> 1;
  for (let written = 0; written < bytes.length; ) {
    const target = written < half ? half : bytes.length;
    written += writeSync(descriptor, bytes, written, target - written);
    if (written === half) fault("put:half");
  }
}

function openExclusive(spool: string, file: string): number {
  try {
    return openSync(file, "wx", 0o600);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
    makeSpool(spool);
    return openSync(file, "wx", 0o600);
  }
}
