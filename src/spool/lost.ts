import { renameSync, unlinkSync } from "node:fs";
import { quietly } from "../core/quietly.ts";
import { listWithStats } from "./list.ts";

/** Suffix of the mark of a lost event that is already in the journal. */
const journalledSuffix = ".noted";
const retentionMs = 30 * 24 * 3_600_000;
const maxKept = 200;

/** Event that a hook could not store, for example because the disk was full. */
export interface LostEvent {
  readonly id: string;
  readonly atMs: number;
}

/**
 * Lists the lost events that are not in the journal yet, and notes that they now are. Keeps the files of the newest 200
 * lost events of the last 30 days and deletes the others.
 */
export function takeLost(spool: string, nowMs: number): readonly LostEvent[] {
  const found = listLost(spool);
  for (const [index, { path, atMs, isNoted }] of found.entries()) {
    if (found.length - index > maxKept || nowMs - atMs > retentionMs) unlinkSync(path);
    else if (!isNoted) renameSync(path, path + journalledSuffix);
  }
  return found.filter(({ isNoted }) => !isNoted).map(({ id, atMs }) => ({ id, atMs }));
}

/** Lists the events that were lost after a time, oldest first; empty if the folder cannot be read. */
export function listLostSince(spool: string, sinceMs: number): readonly LostEvent[] {
  return (quietly(() => listLost(spool)) ?? []).filter(({ atMs }) => atMs >= sinceMs);
}

function listLost(spool: string) {
  const found = listWithStats(spool).flatMap(({ file, path, modifiedAtMs }) => {
    const [, id, noted] = /^(.+)\.lost(\.noted)?$/.exec(file) ?? [];
    return id === undefined ? [] : [{ id, path, atMs: modifiedAtMs, isNoted: noted !== undefined }];
  });
  return found.sort((a, b) => a.atMs - b.atMs);
}
