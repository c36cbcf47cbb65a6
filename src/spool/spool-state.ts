import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readErrno } from "../core/errors.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { readLockLine } from "../files/lock-line.ts";
import { findProcess } from "../files/process-table.ts";
import { type Entry, entryFile, parseEntry } from "./entry.ts";
import { isSupportedRecord } from "./list.ts";
import { isEnded } from "./sweep.ts";
import { workerTitle } from "./wake.ts";

/** Current contents of the spool. */
export interface SpoolState {
  /** Events that no worker has claimed yet. */
  readonly fresh: readonly Entry[];
  /** Arrival time of the oldest unclaimed event, Unix milliseconds. */
  readonly oldestFreshAtMs?: number;
  /** Events waiting for their next attempt, the earliest first. */
  readonly waiting: readonly (Entry & { readonly dueAtMs: number })[];
  /** Events claimed by a worker. */
  readonly inFlight: readonly Entry[];
  /** Events that could not be delivered, kept until `beckon retry` requeues them. */
  readonly dead: readonly Entry[];
  /** Process id of the worker that holds the lock, if one is running. */
  readonly workerPid?: number;
}

/** Reads the state of the spool without changing it. A missing or unreadable spool counts as empty. */
export function readSpool(spool: string, lock: string): SpoolState {
  // Events pass through the folders in this order. An event that moves meanwhile is counted twice, but never missed.
  const stored = listStored(spool);
  const fresh = listEntries(spool, "new");
  const held = listEntries(spool, "cur");
  const dead = listEntries(spool, "dead");
  const waiting = held.flatMap((entry) => (entry.dueAtMs === undefined ? [] : [{ ...entry, dueAtMs: entry.dueAtMs }]));
  const freshFiles = [
    ...stored.map(({ id }) => join(spool, "tmp", id)),
    ...fresh.map((entry) => join(spool, "new", entryFile(entry))),
  ];
  // A worker may claim a file meanwhile; the file is then skipped.
  const times = freshFiles.flatMap((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? []);
  const [oldestFreshAtMs] = times.sort((a, b) => a - b);
  return {
    fresh: [...stored, ...fresh],
    waiting: waiting.sort((a, b) => a.dueAtMs - b.dueAtMs),
    inFlight: held.filter(({ dueAtMs }) => dueAtMs === undefined),
    dead,
    ...omitUndefined({ oldestFreshAtMs, workerPid: findWorkerPid(lock) }),
  };
}

/** Finds the worker that holds a lock. If the platform shows process names, ignores a process with another name. */
function findWorkerPid(lock: string): number | undefined {
  const holder = findProcess(readLockLine(lock)?.pid ?? 0);
  return (holder?.name ?? workerTitle) === workerTitle ? holder?.pid : undefined;
}

/** Counts the events that a worker would process now: unclaimed, being processed, or due for an attempt. */
export function countDue({ fresh, waiting, inFlight }: SpoolState, nowMs: number): number {
  return fresh.length + inFlight.length + waiting.filter(({ dueAtMs }) => dueAtMs <= nowMs).length;
}

/** Lists the complete records in `tmp/`, which no worker has moved to `new/` yet. */
function listStored(spool: string): Entry[] {
  const names = listNames(spool, "tmp").filter((name) => isEnded(join(spool, "tmp", name)));
  return names.flatMap((name) => parseEntry(`${name}.json`) ?? []);
}

/** Lists the entries in a spool folder, sorted by name. */
function listEntries(spool: string, folder: string): Entry[] {
  return listNames(spool, folder).flatMap((name) => parseEntry(name) ?? []);
}

/** Lists the files in a spool folder that this version can process, sorted by name; empty if it cannot be read. */
function listNames(spool: string, folder: string): string[] {
  try {
    const names = readdirSync(join(spool, folder)).sort();
    return names.filter((name) => isSupportedRecord(join(spool, folder, name)));
  } catch (error) {
    if (readErrno(error) === undefined) throw error;
    return []; // missing, unreadable, or not a folder: `doctor` and `status` report it
  }
}
