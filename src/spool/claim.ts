import { readdirSync, readFileSync, renameSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../core/errors.ts";
import { fault } from "../core/crash-point.ts";
import { type Entry, entryFile, parseEntry } from "./entry.ts";

/** One event in this worker's hands: a file in `cur/` that no other worker touches while the lock is held. */
export interface Claim {
  readonly id: string;
  readonly crashes: number;
  readonly file: string;
  readonly bytes: Buffer;
  /** When the hook took it in, Unix milliseconds. */
  readonly takenInAtMs: number;
}

/** After so many workers died over an event it is not tried again. */
const maxCrashes = 3;

/** Fresh entries in the order in which they came in. */
export function freshEntries(spool: string): readonly Entry[] {
  return entriesIn(join(spool, "new"))
    .map((entry) => ({ entry, atMs: modifiedAtMs(join(spool, "new", entryFile(entry))) }))
    .sort((a, b) => a.atMs - b.atMs)
    .map(({ entry }) => entry);
}

/** Entries whose next attempt is still to come or due, soonest first. */
export function waitingEntries(spool: string): readonly (Entry & { readonly dueAtMs: number })[] {
  return entriesIn(join(spool, "cur"))
    .flatMap((entry) => (entry.dueAtMs === undefined ? [] : [{ ...entry, dueAtMs: entry.dueAtMs }]))
    .sort((a, b) => a.dueAtMs - b.dueAtMs);
}

/** Takes an entry over by renaming it; undefined if somebody else was faster. */
export function claim(spool: string, entry: Entry): Claim | undefined {
  const from = join(spool, entry.dueAtMs === undefined ? "new" : "cur", entryFile(entry));
  const file = join(spool, "cur", entryFile({ id: entry.id, crashes: entry.crashes }));
  try {
    renameSync(from, file);
    fault("claimed");
    return { ...entry, file, bytes: readFileSync(file), takenInAtMs: modifiedAtMs(file) };
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Puts back what a dead worker held. For the holder of the lock, before it claims anything.
 * @returns the ids of events that went to `dead/` because too many workers died over them
 */
export function recover(spool: string): readonly string[] {
  const entries = entriesIn(join(spool, "cur"));
  const waiting = new Set(entries.filter((entry) => entry.dueAtMs !== undefined).map((entry) => entry.id));
  const held = entries.filter(({ dueAtMs }) => dueAtMs === undefined);
  // It died between writing the next attempt and dropping the last.
  for (const entry of held.filter(({ id }) => waiting.has(id))) unlinkSync(join(spool, "cur", entryFile(entry)));
  return held.filter((entry) => !waiting.has(entry.id) && putBack(spool, entry) === "dead").map(({ id }) => id);
}

/** Puts a claimed event back among the fresh ones, one crash older; the third time it is buried. */
export function putBack(spool: string, { id, crashes }: Pick<Claim, "id" | "crashes">): "fresh" | "dead" {
  const held = join(spool, "cur", entryFile({ id, crashes }));
  const dead = crashes + 1 >= maxCrashes;
  const target = dead
    ? join(spool, "dead", entryFile({ id, crashes: 0 }))
    : join(spool, "new", entryFile({ id, crashes: crashes + 1 }));
  renameSync(held, target);
  return dead ? "dead" : "fresh";
}

/**
 * Puts an event back that a worker lets go of halfway. It counts as one crash, however often it happens: enough for the
 * next worker to ask the journal what was sent already, never enough to bury it.
 */
export function giveBack(spool: string, { id, crashes, file }: Claim): void {
  renameSync(file, join(spool, "new", entryFile({ id, crashes: Math.max(crashes, 1) })));
}

function entriesIn(folder: string): Entry[] {
  return readdirSync(folder).flatMap((file) => parseEntry(file) ?? []);
}

function modifiedAtMs(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
