import { closeSync, fstatSync, ftruncateSync, futimesSync, openSync, renameSync, unlinkSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { quietly } from "../core/quietly.ts";
import { dayMs } from "../text/time.ts";
import { parseEntry } from "./entry.ts";
import { listWithStats, readRecordEnd, readRecordFile, type SpoolFile } from "./list.ts";
import {
  decodeRecord,
  endOfRecord,
  findEnd,
  isNewerVersion,
  lacksOnlyEnd,
  maxEndLineBytes,
  type RecordHeader,
} from "./record.ts";

/** Age at which an incomplete record counts as abandoned: 3 s. Launchers read for at most two seconds. */
const launcherTimeoutMs = 3_000;
const partialRecordKeptMs = 3_600_000;
const lockFileKeptMs = 60_000;
const deadLetterKeptMs = 30 * dayMs;
/**
 * Limits for the number of files in the spool, their bytes, and the number of dead letters. For events that no worker
 * has begun to process, `burstFactor` multiplies the limits for files and bytes.
 */
export const spoolBounds = { files: 1000, bytes: 10 * 1024 * 1024, dead: 200, burstFactor: 10 } as const;

/**
 * Moves complete records that launchers and killed entrypoints left in `tmp/` to `new/`. Also moves a record that lacks
 * only its end line and is older than three seconds, because its launcher was killed. Deletes other incomplete records
 * after an hour.
 */
export function sweepTemporary(spool: string, nowMs: number): void {
  for (const found of listWithStats(join(spool, "tmp"))) {
    // After the clock was set back, an abandoned file has a time in the future.
    const ageMs = Math.abs(nowMs - found.modifiedAtMs);
    // If a slow launcher has just renamed the file, or this user may not delete it, the next sweep tries again.
    quietly(() => sweepRecord(spool, found, ageMs));
  }
}

function sweepRecord(spool: string, found: SpoolFile, ageMs: number): void {
  const { file, path } = found;
  const isSettling = file.endsWith(".settle");
  if (ageMs < launcherTimeoutMs && (isSettling || !isEnded(path))) return;
  const bytes = readRecordFile(path);
  if (!bytes || isNewerVersion(bytes)) return;
  if (!isSettling && (decodeRecord(bytes) || (lacksOnlyEnd(bytes) && appendEndLine(found)))) {
    renameSync(path, join(spool, "new", `${file}.json`));
  } else if (isSettling || ageMs > partialRecordKeptMs) unlinkSync(path);
}

/** True if a file ends like a complete record. False if the file cannot be read. */
export function isEnded(path: string): boolean {
  const bytes = readRecordEnd(path, maxEndLineBytes);
  return bytes !== undefined && findEnd(bytes) !== null;
}

/**
 * Appends the end line to the record's own file, because if the record were copied, both files might be processed. A
 * launcher that still has the file open would write the same bytes at the same position.
 * @returns false if the disk has no room or the launcher has written more meanwhile
 */
function appendEndLine({ path, sizeBytes, modifiedAtMs }: SpoolFile): boolean {
  const descriptor = openSync(path, "r+");
  try {
    if (fstatSync(descriptor).size !== sizeBytes) return false;
    writeSync(descriptor, endOfRecord, 0, endOfRecord.length, sizeBytes);
    futimesSync(descriptor, modifiedAtMs / 1000, modifiedAtMs / 1000); // keeps the arrival time
    return true;
  } catch {
    ftruncateSync(descriptor, sizeBytes);
    return false;
  } finally {
    closeSync(descriptor);
  }
}

/** Deletes temporary lock files of workers that were killed while they acquired the lock. Requires the lock. */
export function sweepLockFiles(lock: string, nowMs: number): void {
  const found = listWithStats(dirname(lock)).filter(({ path }) => path.startsWith(`${lock}.`));
  const old = found.filter(({ modifiedAtMs }) => Math.abs(nowMs - modifiedAtMs) > lockFileKeptMs);
  for (const { path } of old) quietly(() => unlinkSync(path));
}

/** Deletes dead letters older than 30 days, and all but the newest 200. */
export function sweepDead(spool: string, nowMs: number): void {
  const letters = listWithStats(join(spool, "dead")).sort((a, b) => b.modifiedAtMs - a.modifiedAtMs);
  const expired = letters.filter(
    ({ modifiedAtMs }, index) => index >= spoolBounds.dead || nowMs - modifiedAtMs > deadLetterKeptMs,
  );
  for (const { path } of expired) quietly(() => unlinkSync(path));
}

/**
 * Removes records until the spool has at most 10,000 new events (100 MiB), which no worker has begun to process, and
 * 1,000 others (10 MiB). The limits for new events are higher, because new events are about to be delivered. The least
 * urgent records are removed first, and of these the oldest. Keeps records that are being processed, and records of a
 * newer version.
 * @param rankUrgency records with a higher number stay longer; a record with infinite urgency is never removed
 * @returns the removed events; an event has no header if its record was incomplete
 */
export function evict(spool: string, rankUrgency: (header: RecordHeader | undefined) => number) {
  const queued = ["new", "cur"].flatMap((folder) => listQueued(spool, folder));
  if (selectExcess(queued, 1).length === 0) return [];
  const candidates = queued
    .flatMap(readHeader)
    .filter(({ header }) => rankUrgency(header) < Number.POSITIVE_INFINITY)
    .sort((a, b) => rankUrgency(a.header) - rankUrgency(b.header) || a.modifiedAtMs - b.modifiedAtMs);
  const fresh = candidates.filter(({ isNew }) => isNew);
  const begun = candidates.filter(({ isNew }) => !isNew);
  const evicted = [...selectExcess(begun, 1), ...selectExcess(fresh, spoolBounds.burstFactor)];
  for (const { path } of evicted) unlinkSync(path);
  return evicted.map(({ file, header }) => ({ id: parseEntry(file)?.id ?? file, header }));
}

/** Selects files from the start of the list until the remaining files are within the limits. */
function selectExcess<File extends Pick<SpoolFile, "sizeBytes">>(
  files: readonly File[],
  factor: number,
): readonly File[] {
  let bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return files.filter(({ sizeBytes }, index) => {
    const isExcess = files.length - index > spoolBounds.files * factor || bytes > spoolBounds.bytes * factor;
    if (isExcess) bytes -= sizeBytes;
    return isExcess;
  });
}

/** Lists the records in `new/`, or the waiting records in `cur/`. */
function listQueued(spool: string, folder: string) {
  return listWithStats(join(spool, folder)).flatMap((found) => {
    const entry = parseEntry(found.file);
    if (!entry || (folder === "cur" && entry.dueAtMs === undefined)) return [];
    return [{ ...found, isNew: folder === "new" && entry.crashes === 0 }];
  });
}

/**
 * Returns a list of the file with its record's header, which is undefined for an incomplete record. The list is empty
 * for an unreadable record or one of a newer version.
 */
function readHeader(found: ReturnType<typeof listQueued>[number]) {
  const bytes = readRecordFile(found.path);
  if (!bytes || isNewerVersion(bytes)) return [];
  const header = decodeRecord(bytes)?.header;
  return [{ ...found, header, isNew: found.isNew && header !== undefined }];
}
