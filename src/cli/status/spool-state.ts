import { statSync } from "node:fs";
import { join } from "node:path";
import { type Entry, parseEntry } from "../../spool/entry.ts";
import { livingWorker } from "../../spool/wake.ts";
import { listFolder } from "../list-folder.ts";

/** What is in the spool right now. */
export interface SpoolState {
  /** Not yet looked at by a worker. */
  readonly fresh: readonly Entry[];
  /** Since when the oldest of them waits, Unix milliseconds. */
  readonly oldestFreshAtMs?: number;
  /** Waiting for their next attempt, soonest first. */
  readonly waiting: readonly (Entry & { readonly dueAtMs: number })[];
  /** In a worker's hands. */
  readonly inFlight: readonly Entry[];
  /** Given up; `beckon retry` puts them back. */
  readonly dead: readonly Entry[];
  /** Process number of the worker that holds the spool, if one lives. */
  readonly workerPid?: number;
}

/** Looks at the spool without touching it. A spool that is not there is an empty one. */
export function readSpool(spool: string, lock: string): SpoolState {
  // In the order in which an event moves, so that one that moves meanwhile is seen twice rather than not at all.
  const fresh = entriesIn(spool, "new");
  const held = entriesIn(spool, "cur");
  const dead = entriesIn(spool, "dead");
  const waiting = held.flatMap((entry) => (entry.dueAtMs === undefined ? [] : [{ ...entry, dueAtMs: entry.dueAtMs }]));
  const oldestFreshAtMs = oldestAtMs(join(spool, "new"));
  const workerPid = livingWorker(lock);
  return {
    fresh,
    ...(oldestFreshAtMs !== undefined && { oldestFreshAtMs }),
    waiting: waiting.sort((a, b) => a.dueAtMs - b.dueAtMs),
    inFlight: held.filter(({ dueAtMs }) => dueAtMs === undefined),
    dead,
    ...(workerPid !== undefined && { workerPid }),
  };
}

/** How many events a worker would have to do with now: fresh, in flight, or due. */
export function countDue({ fresh, waiting, inFlight }: SpoolState, nowMs: number): number {
  return fresh.length + inFlight.length + waiting.filter(({ dueAtMs }) => dueAtMs <= nowMs).length;
}

function entriesIn(spool: string, folder: string): Entry[] {
  return listFolder(join(spool, folder)).flatMap((file) => parseEntry(file) ?? []);
}

function oldestAtMs(folder: string): number | undefined {
  const times = listFolder(folder)
    .filter((file) => parseEntry(file))
    .flatMap((file) => statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}
