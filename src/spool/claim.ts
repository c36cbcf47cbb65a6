import { readdirSync, renameSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../core/errors.ts";
import { crashPoint } from "../files/crash-point.ts";
import { type Entry, entryFile, parseEntry } from "./entry.ts";
import { isWorkable, listWithStats, readRecordFile } from "./list.ts";
import { isOfNewerVersion } from "./record.ts";
import { unwritten } from "./unwritten.ts";

/** An event that this worker has claimed: a file in `cur/` that no other worker touches while the lock is held. */
export interface Claim {
  readonly id: string;
  /** How many workers died over it. */
  readonly crashes: number;
  /** Absolute path. */
  readonly file: string;
  readonly bytes: Buffer;
  /** When the hook stored it, Unix milliseconds. */
  readonly takenInAtMs: number;
}

/** An event over which this many workers died is not tried again. */
export const maxCrashes = 3;

/**
 * Paths of entries that this process found it cannot work on, such as a newer version's. They stay where they are, and
 * are not listed again.
 */
const leftAlone = new Set<string>();

/** Entries in `new/`, in order of arrival. */
export function freshEntries(spool: string): readonly Entry[] {
  return listWithStats(join(spool, "new"))
    .filter(({ path }) => !leftAlone.has(path))
    .sort((a, b) => a.modifiedAtMs - b.modifiedAtMs)
    .flatMap(({ file }) => parseEntry(file) ?? []);
}

/** Entries in `cur/` that wait for their next attempt or are due for it, soonest first. */
export function waitingEntries(spool: string): readonly (Entry & { readonly dueAtMs: number })[] {
  // Claimed events, perhaps a thousand, are sorted out by a glance at the name: a worker lists this folder all the
  // time.
  return entriesIn(join(spool, "cur"), ".t")
    .flatMap((entry) => (entry.dueAtMs === undefined ? [] : [{ ...entry, dueAtMs: entry.dueAtMs }]))
    .sort((a, b) => a.dueAtMs - b.dueAtMs);
}

/** Gives a waiting entry another time. For the holder of the lock. */
export function reschedule(spool: string, entry: Entry, dueAtMs: number): void {
  const folder = join(spool, "cur");
  renameSync(join(folder, entryFile(entry)), join(folder, entryFile({ ...entry, dueAtMs })));
}

/** Claims an entry by renaming it; undefined if another process was faster, or if it is not for this version. */
export function claim(spool: string, entry: Entry): Claim | undefined {
  const from = join(spool, entry.dueAtMs === undefined ? "new" : "cur", entryFile(entry));
  const file = join(spool, "cur", entryFile({ id: entry.id, crashes: entry.crashes }));
  const bytes = readRecordFile(from);
  if (!bytes || isOfNewerVersion(bytes)) {
    leftAlone.add(from);
    return undefined;
  }
  try {
    renameSync(from, file);
    crashPoint("claimed");
    return { ...entry, file, bytes: unwritten.get(spool, entry.id) ?? bytes, takenInAtMs: statSync(file).mtimeMs };
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Requeues what a dead worker had claimed. For the holder of the lock, before it claims anything.
 * @returns ids of the events that went to `dead/` because too many workers died over them
 */
export function recover(spool: string): readonly string[] {
  const entries = entriesIn(join(spool, "cur"));
  const waiting = new Set(entries.filter((entry) => entry.dueAtMs !== undefined).map((entry) => entry.id));
  const claimed = entries.filter(
    (entry) => entry.dueAtMs === undefined && isWorkable(join(spool, "cur", entryFile(entry))),
  );
  // The worker died after it had written the file of the next attempt and before it removed the claimed one.
  for (const entry of claimed.filter(({ id }) => waiting.has(id))) unlinkSync(join(spool, "cur", entryFile(entry)));
  return claimed
    .filter((entry) => !waiting.has(entry.id) && requeueAfterCrash(spool, entry) === "dead")
    .map(({ id }) => id);
}

/** Returns a claimed event to `new/` with one crash more; after the third it goes to `dead/`. */
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
 * Returns a claimed event to `new/` before it is settled. This counts as one crash, however often it happens: enough
 * for the next worker to look up in the journal what was sent already, never enough to make it a dead letter.
 */
export function release(spool: string, { id, crashes, file }: Claim): void {
  renameSync(file, join(spool, "new", entryFile({ id, crashes: Math.max(crashes, 1) })));
}

/** @param part what the names have in common */
function entriesIn(folder: string, part = ""): Entry[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((file) => file.name.includes(part) && file.isFile() && !leftAlone.has(join(folder, file.name)))
    .flatMap(({ name }) => parseEntry(name) ?? []);
}
