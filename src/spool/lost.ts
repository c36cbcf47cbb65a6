import { renameSync, unlinkSync } from "node:fs";
import { listWithStats } from "./list.ts";

/** Follows the name of a mark once the journal has the event. */
const journalled = ".noted";
const keptMs = 30 * 24 * 3_600_000;
const maxKept = 200;

/** An event that did not fit on the disk, and when it came in. */
export interface LostEvent {
  readonly id: string;
  readonly atMs: number;
}

/**
 * Lists the lost events that the journal does not have yet; the next call leaves them out. Deletes marks older than 30
 * days, and the oldest beyond 200.
 */
export function takeLost(spool: string, nowMs: number): readonly LostEvent[] {
  const found = listLost(spool);
  for (const [index, { path, atMs, isNoted }] of found.entries()) {
    if (found.length - index > maxKept || nowMs - atMs > keptMs) unlinkSync(path);
    else if (!isNoted) renameSync(path, path + journalled);
  }
  return found.filter(({ isNoted }) => !isNoted).map(({ id, atMs }) => ({ id, atMs }));
}

/** Lists the events that were lost since a time, the oldest first; none if the folder cannot be read. */
export function lostSince(spool: string, sinceMs: number): readonly LostEvent[] {
  try {
    return listLost(spool).filter(({ atMs }) => atMs >= sinceMs);
  } catch {
    return [];
  }
}

function listLost(spool: string) {
  const found = listWithStats(spool).flatMap(({ file, path, modifiedAtMs }) => {
    const [, id, noted] = /^(.+)\.lost(\.noted)?$/.exec(file) ?? [];
    return id === undefined ? [] : [{ id, path, atMs: modifiedAtMs, isNoted: noted !== undefined }];
  });
  return found.sort((a, b) => a.atMs - b.atMs);
}
