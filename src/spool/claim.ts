import { readdirSync, renameSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { readErrno } from "../core/errors.ts";
import { crashPoint } from "../files/crash-point.ts";
import { type Entry, entryFile, parseEntry, unwritten } from "./entry.ts";
import { isSupportedRecord, listWithStats, readRecordFile } from "./list.ts";
import { isNewerVersion } from "./record.ts";

/** Claimed event: a file in `cur/` that no other worker touches as long as this worker holds the lock. */
export interface Claim {
  readonly id: string;
  /** Number of crashes counted so far, mostly of workers that died while they processed the event. */
  readonly crashes: number;
  /** Absolute path of the claimed file. */
  readonly file: string;
  readonly bytes: Buffer;
  /** Time when the hook stored the event, Unix milliseconds. */
  readonly takenInAtMs: number;
}

/** Number of crashes after which an event becomes a dead letter. */
export const maxCrashes = 3;

/** Paths of spool files that could not be claimed, such as records of a newer version. They are not listed again. */
const ignoredPaths = new Set<string>();

/** Lists the entries in `new/`, in order of arrival. */
export function freshEntries(spool: string): readonly Entry[] {
  return listWithStats(join(spool, "new"))
    .filter(({ path }) => !ignoredPaths.has(path))
    .sort((a, b) => a.modifiedAtMs - b.modifiedAtMs)
    .flatMap(({ file }) => parseEntry(file) ?? []);
}

/** Lists the entries in `cur/` that wait for their next attempt, the earliest first. */
export function waitingEntries(spool: string): readonly (Entry & { readonly dueAtMs: number })[] {
  // `cur/` may hold a thousand claimed events and is listed often, so claimed events are skipped by their names.
  return listEntries(join(spool, "cur"), ".t")
    .flatMap((entry) => (entry.dueAtMs === undefined ? [] : [{ ...entry, dueAtMs: entry.dueAtMs }]))
    .sort((a, b) => a.dueAtMs - b.dueAtMs);
}

/** Changes the due time of a waiting entry. Requires the lock. */
export function reschedule(spool: string, entry: Entry, dueAtMs: number): void {
  const folder = join(spool, "cur");
  renameSync(join(folder, entryFile(entry)), join(folder, entryFile({ ...entry, dueAtMs })));
}

/**
 * Claims an entry by renaming its file; undefined if the file is gone or unreadable, or if a newer version wrote it.
 */
export function claim(spool: string, entry: Entry): Claim | undefined {
  const from = join(spool, entry.dueAtMs === undefined ? "new" : "cur", entryFile(entry));
  const file = join(spool, "cur", entryFile({ id: entry.id, crashes: entry.crashes }));
  const bytes = readRecordFile(from);
  if (!bytes || isNewerVersion(bytes)) {
    ignoredPaths.add(from);
    return undefined;
  }
  try {
    renameSync(from, file);
    crashPoint("claimed");
    return { ...entry, file, bytes: unwritten.get(spool, entry.id) ?? bytes, takenInAtMs: statSync(file).mtimeMs };
  } catch (error) {
    if (readErrno(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Requeues the events that a dead worker had claimed. Requires the lock. Call this before any event is claimed.
 * @returns ids of events moved to `dead/` because too many workers died while processing them
 */
export function recover(spool: string): readonly string[] {
  const entries = listEntries(join(spool, "cur"));
  const waiting = new Set(entries.filter((entry) => entry.dueAtMs !== undefined).map((entry) => entry.id));
  const claimed = entries.filter(
    (entry) => entry.dueAtMs === undefined && isSupportedRecord(join(spool, "cur", entryFile(entry))),
  );
  // A worker died after it wrote the file for the next attempt and before it removed the claimed file.
  for (const entry of claimed.filter(({ id }) => waiting.has(id))) unlinkSync(join(spool, "cur", entryFile(entry)));
  return claimed
    .filter((entry) => !waiting.has(entry.id) && requeueAfterCrash(spool, entry) === "dead")
    .map(({ id }) => id);
}

/** Moves a claimed event back to `new/` and counts one more crash, or to `dead/` if this was the third crash. */
export function requeueAfterCrash(spool: string, { id, crashes }: Pick<Claim, "id" | "crashes">): "fresh" | "dead" {
  const claimed = join(spool, "cur", entryFile({ id, crashes }));
  const isDead = crashes + 1 >= maxCrashes;
  const target = isDead
    ? join(spool, "dead", entryFile({ id, crashes: 0 }))
    : join(spool, "new", entryFile({ id, crashes: crashes + 1 }));
  renameSync(claimed, target);
  return isDead ? "dead" : "fresh";
}

/**
 * Moves a claimed event back to `new/` before it is settled. Sets its crash count to 1 if it was 0, so that the next
 * worker looks in the journal for messages already sent. Further releases do not raise the count, so they never make
 * the event a dead letter.
 */
export function release(spool: string, { id, crashes, file }: Claim): void {
  renameSync(file, join(spool, "new", entryFile({ id, crashes: Math.max(crashes, 1) })));
}

/**
 * Lists the spool entries in a folder.
 * @param fragment text that the names of the listed files contain
 */
function listEntries(folder: string, fragment = ""): Entry[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((file) => file.name.includes(fragment) && file.isFile() && !ignoredPaths.has(join(folder, file.name)))
    .flatMap(({ name }) => parseEntry(name) ?? []);
}
