import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../core/errors.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { readLockLine } from "../files/lock-line.ts";
import { findProcess } from "../files/process-table.ts";
import { type Entry, entryFile, parseEntry } from "./entry.ts";
import { isWorkable } from "./list.ts";
import { isEnded } from "./sweep.ts";
import { workerTitle } from "./wake.ts";

/** What is in the spool right now. */
export interface SpoolState {
  /** Not yet claimed by a worker. */
  readonly fresh: readonly Entry[];
  /** When the oldest of them was written, Unix milliseconds. */
  readonly oldestFreshAtMs?: number;
  /** Waiting for their next attempt, the earliest first. */
  readonly waiting: readonly (Entry & { readonly dueAtMs: number })[];
  /** Claimed by a worker. */
  readonly inFlight: readonly Entry[];
  /** Not delivered and not tried again, until `beckon retry` requeues them. */
  readonly dead: readonly Entry[];
  /** Process id of the worker that holds the spool, if one is running. */
  readonly workerPid?: number;
}

/** Reads the state of the spool and changes nothing. One that does not exist or cannot be read counts as empty. */
export function readSpool(spool: string, lock: string): SpoolState {
  // In the order in which events move, so that one that moves meanwhile is seen twice rather than not at all.
  const stored = storedIn(spool);
  const fresh = entriesIn(spool, "new");
  const held = entriesIn(spool, "cur");
  const dead = entriesIn(spool, "dead");
  const waiting = held.flatMap((entry) => (entry.dueAtMs === undefined ? [] : [{ ...entry, dueAtMs: entry.dueAtMs }]));
  const freshFiles = [
    ...stored.map(({ id }) => join(spool, "tmp", id)),
    ...fresh.map((entry) => join(spool, "new", entryFile(entry))),
  ];
  // A worker may have claimed one of them meanwhile.
  const times = freshFiles.flatMap((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? []);
  const [oldestFreshAtMs] = times.sort((a, b) => a - b);
  return {
    fresh: [...stored, ...fresh],
    waiting: waiting.sort((a, b) => a.dueAtMs - b.dueAtMs),
    inFlight: held.filter(({ dueAtMs }) => dueAtMs === undefined),
    dead,
    ...omitUndefined({ oldestFreshAtMs, workerPid: workerIn(lock) }),
  };
}

/** The process number of the worker that holds a lock; where names are known, one that has a worker's. */
function workerIn(lock: string): number | undefined {
  const holder = findProcess(readLockLine(lock)?.pid ?? 0);
  return (holder?.name ?? workerTitle) === workerTitle ? holder?.pid : undefined;
}

/** The number of events a worker would process now: fresh, in flight, or due for another attempt. */
export function countDue({ fresh, waiting, inFlight }: SpoolState, nowMs: number): number {
  return fresh.length + inFlight.length + waiting.filter(({ dueAtMs }) => dueAtMs <= nowMs).length;
}

/** What launchers have stored and no worker has moved to `new/`. */
function storedIn(spool: string): Entry[] {
  const names = namesIn(spool, "tmp").filter((name) => isEnded(join(spool, "tmp", name)));
  return names.flatMap((name) => parseEntry(`${name}.json`) ?? []);
}

/** In the order of their names. */
function entriesIn(spool: string, folder: string): Entry[] {
  return namesIn(spool, folder).flatMap((name) => parseEntry(name) ?? []);
}

/** Files that this version can work on, in order; none where there is no such folder, or it cannot be read. */
function namesIn(spool: string, folder: string): string[] {
  try {
    const names = readdirSync(join(spool, folder)).sort();
    return names.filter((name) => isWorkable(join(spool, folder, name)));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return []; // missing, closed, or no folder: `doctor` and `status` report it
  }
}
