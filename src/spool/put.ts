import {
  closeSync,
  existsSync,
  futimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { readErrno } from "../core/errors.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { quietly } from "../core/quietly.ts";
import { seenEvent } from "../core/vocabulary.ts";
import { crashPoint } from "../files/crash-point.ts";
import { listSpoolFolders } from "../files/paths.ts";
import { encodeRecord } from "./record.ts";

/** Creates the missing spool folders with mode 0700. */
export function makeSpool(spool: string): void {
  for (const folder of listSpoolFolders({ spool })) mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/**
 * Creates a unique id, with the random part first, so that a few characters tell ids apart. Does not use `node:crypto`,
 * because loading it takes 3 ms while the agent waits.
 */
export function newId(): string {
  const random = Math.random().toString(36).slice(2).padEnd(8, "0");
  return `${random}-${Date.now().toString(36)}-${process.pid.toString(36)}`;
}

/**
 * Stores a record in the spool: writes it to `tmp/`, then renames it into `new/`. A stored record survives the death of
 * any process. The record is not flushed to disk, because notifications are worthless after a power cut.
 * @param atMs time of the event, Unix milliseconds; by default now
 * @throws the system's error if the record could not be stored; `new/` never holds a partial record
 */
export function put(spool: string, id: string, record: Buffer, atMs?: number): void {
  const temporary = join(spool, "tmp", id);
  const descriptor = openExclusive(spool, temporary);
  try {
    crashPoint("put:opened");
    writeAll(descriptor, record);
    if (atMs !== undefined) futimesSync(descriptor, atMs / 1000, atMs / 1000);
    crashPoint("put:written");
  } catch (error) {
    unlinkSync(temporary); // a partial record only takes room on a full disk
    throw error;
  } finally {
    closeSync(descriptor);
  }
  makeVisible(temporary, join(spool, "new", `${id}.json`));
  crashPoint("put:visible");
}

/**
 * Marks an event as lost because it could not be stored. The mark is an empty file, which usually fits even on a full
 * disk. `spool/lost.ts` reads the marks. Never throws.
 */
export function markLost(spool: string, id: string): void {
  quietly(() => closeSync(openSync(join(spool, `${id}.lost`), "wx", 0o600)));
}

/** Renames a record into `new/`, unless a worker has already moved it there. */
function makeVisible(temporary: string, visible: string): void {
  try {
    renameSync(temporary, visible);
  } catch (error) {
    if (existsSync(temporary)) throw error;
  }
}

/** True if an event is not settled yet: it is in `new/`, claimed, or waiting for a retry. */
export function isPending(spool: string, id: string): boolean {
  // Events move from `new` to `cur`. Checking the folders in this order cannot miss an event.
  return ["new", "cur"].some((folder) => readdirSync(join(spool, folder)).some((file) => file.startsWith(`${id}.`)));
}

const pollMs = 50;

/** Resolves when an event is settled, when `timeoutMs` has passed, or when `stop` aborts. */
export async function waitUntilSettled(
  spool: string,
  id: string,
  timeoutMs: number,
  stop?: AbortSignal,
): Promise<void> {
  const deadlineMs = Date.now() + timeoutMs;
  while (!stop?.aborted && Date.now() < deadlineMs && isPending(spool, id))
    await new Promise((resolve) => setTimeout(resolve, pollMs));
}

function writeAll(descriptor: number, bytes: Buffer): void {
  const half = bytes.length >> 1;
  for (let written = 0; written < bytes.length; ) {
    const target = written < half ? half : bytes.length;
    written += writeSync(descriptor, bytes, written, target - written);
    if (written === half) crashPoint("put:half");
  }
}

function openExclusive(spool: string, file: string): number {
  try {
    return openSync(file, "wx", 0o600);
  } catch (error) {
    if (readErrno(error) !== "ENOENT") throw error;
    makeSpool(spool);
    return openSync(file, "wx", 0o600);
  }
}

/** Stores a record in the spool which says that the user has seen a session. Returns the record's id. */
export function putSeen(
  spool: string,
  session: { readonly agent: string; readonly cwd?: string | undefined; readonly sessionId?: string | undefined },
): string {
  const { agent, cwd, sessionId } = session;
  const id = newId();
  const header = { v: 1 as const, event: seenEvent, agent, ...omitUndefined({ cwd }) };
  const payload = JSON.stringify(omitUndefined({ session_id: sessionId }));
  put(spool, id, encodeRecord(header, Buffer.from(payload)));
  return id;
}
