import { randomUUID } from "node:crypto";
import { readdirSync, renameSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readErrno } from "../core/errors.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { quietly } from "../core/quietly.ts";
import { readLockLine } from "../files/lock-line.ts";
import { listSpoolFolders, type Paths } from "../files/paths.ts";
import { findProcess } from "../files/process-table.ts";
import { moveAdvice, type RootProblem } from "../files/root-access.ts";
import { dayMs } from "../text/time.ts";
import { type Entry, entryFile, parseEntry } from "./entry.ts";
import { isSupportedRecord, listWithStats } from "./list.ts";
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

/** Suffix of the mark of a lost event that is already in the journal. */
const journalledSuffix = ".noted";
const retentionMs = 30 * dayMs;
const maxKept = 200;

/**
 * Lists the lost events that are not in the journal yet, and notes that they now are. Keeps the files of the newest 200
 * lost events of the last 30 days and deletes the others.
 */
export function takeLost(spool: string, nowMs: number) {
  const found = listLost(spool);
  for (const [index, { path, atMs, isNoted }] of found.entries()) {
    if (found.length - index > maxKept || nowMs - atMs > retentionMs) unlinkSync(path);
    else if (!isNoted) renameSync(path, path + journalledSuffix);
  }
  return found.filter(({ isNoted }) => !isNoted);
}

/** Lists the events that were lost after a time, oldest first; empty if the folder cannot be read. */
export function listLostSince(spool: string, sinceMs: number) {
  return (quietly(() => listLost(spool)) ?? []).filter(({ atMs }) => atMs >= sinceMs);
}

/** Lists the marks of events that hooks could not store, for example because the disk was full, oldest first. */
function listLost(spool: string) {
  const found = listWithStats(spool).flatMap(({ file, path, modifiedAtMs }) => {
    const [, id, noted] = /^(.+)\.lost(\.noted)?$/.exec(file) ?? [];
    return id === undefined ? [] : [{ id, path, atMs: modifiedAtMs, isNoted: noted !== undefined }];
  });
  return found.sort((a, b) => a.atMs - b.atMs);
}

/** Number of bytes to write as a test: as many as a typical record has. */
const sampleBytes = 16 * 1024;

/**
 * Explains why hooks cannot store events, or the worker its results; undefined if they can. Writes a test file into
 * each folder that exists, and removes the file again.
 */
export function findStoringProblem(paths: Paths): RootProblem | undefined {
  const [spool = paths.spool, ...stages] = listSpoolFolders(paths);
  for (const folder of [...stages, spool, paths.journal, paths.state]) {
    const code = tryWrite(folder);
    if (code !== undefined && !["ENOENT", "ENOTDIR"].includes(code)) return describeProblem(folder, code, paths);
  }
  return undefined;
}

/** Tries to write a file into a folder. Returns the system's error code; undefined on success. */
function tryWrite(folder: string): string | undefined {
  // A worker must not take this file for an event.
  const file = join(folder, `.try-${randomUUID()}`);
  try {
    writeFileSync(file, Buffer.alloc(sampleBytes), { flag: "wx", mode: 0o600 });
    unlinkSync(file); // `rmSync` gives another code in append-only folders
    return undefined;
  } catch (error) {
    quietly(() => unlinkSync(file)); // part of it may be there
    return readErrno(error) ?? String(error);
  }
}

function describeProblem(folder: string, code: string, { root }: Pick<Paths, "root">): RootProblem {
  const message = `events cannot be stored in ${folder}: ${reasons[code] ?? "it cannot be written to"} (${code})`;
  const elsewhere = `copy it: ${moveAdvice({ root }, "cp -a")}`;
  const cures: Readonly<Record<string, string>> = {
    EROFS: `Mount the file system of ${root} writable, or ${elsewhere}`,
    EACCES: `chmod 700 '${folder}'`,
    EPERM: `If it was made immutable: sudo find '${root}' ! -type l -exec chattr -i -a {} +. Or ${elsewhere}`,
    ENOSPC: "Make room on that disk.",
    EDQUOT: "Remove some of your files from that disk, or ask for a larger quota.",
  };
  return { message, cure: cures[code] ?? `Check the disk of ${root}, or ${elsewhere}` };
}

const reasons: Readonly<Record<string, string>> = {
  EROFS: "its file system is read-only",
  EACCES: "you may not write there",
  EPERM: "the system does not allow it",
  ENOSPC: "the disk is full",
  EDQUOT: "your disk quota is used up",
};
