import {
  closeSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { parseEntry } from "./entry.ts";
import { listWithStats, readRecordEnd, readRecordFile, type SpoolFile } from "./list.ts";
import {
  decodeRecord,
  endOfRecord,
  hasEnd,
  isOfNewerVersion,
  lacksOnlyEnd,
  maxEndLineBytes,
  type RecordHeader,
} from "./record.ts";

/** A launcher that has not ended its record after this time is dead: it reads for two seconds at most. */
const launcherDoneMs = 3_000;
const partialRecordKeptMs = 3_600_000;
/** Taking a lock takes a moment. */
const lockFileKeptMs = 60_000;
const deadLetterKeptMs = 30 * 24 * 3_600_000;
/**
 * Most that a spool holds. Beyond it the least urgent events are evicted, the oldest first; dead letters by age. Events
 * that were never tried may take ten times as much, whatever their age: a machine may have slept.
 */
export const spoolBounds = { files: 1000, bytes: 10 * 1024 * 1024, dead: 200, burstFactor: 10 } as const;

/**
 * Moves whole records from `tmp/` to `new/`: launchers leave that to the worker, and so does an entrypoint that was
 * killed. Of a launcher that was killed, one whole object that only lacks the end line is moved after three seconds; what
 * is torn is deleted after an hour.
 */
export function sweepTemporary(spool: string, nowMs: number): void {
  for (const found of listWithStats(join(spool, "tmp"))) {
    // Of either sign: after the clock was set back, a file that a launcher left behind is from the future.
    const ageMs = Math.abs(nowMs - found.modifiedAtMs);
    ignoringErrors(() => sweepRecord(spool, found, ageMs));
  }
}

function sweepRecord(spool: string, found: SpoolFile, ageMs: number): void {
  const { file, path } = found;
  const isSettling = file.endsWith(".settle");
  if (ageMs < launcherDoneMs && (isSettling || !isEnded(path))) return;
  const bytes = readRecordFile(path);
  if (!bytes || isOfNewerVersion(bytes)) return;
  if (!isSettling && (decodeRecord(bytes) || (lacksOnlyEnd(bytes) && complete(found)))) {
    renameSync(path, join(spool, "new", `${file}.json`));
  } else if (isSettling || ageMs > partialRecordKeptMs) unlinkSync(path);
}

/** Whether a file ends as a whole record does; false where there is none that can be read. */
export function isEnded(path: string): boolean {
  const bytes = readRecordEnd(path, maxEndLineBytes);
  return bytes !== undefined && hasEnd(bytes);
}

/**
 * Writes the end line. In place, since of a copy and its original both might be processed; and what a launcher that
 * still has the file open would write, where it would write it.
 * @returns whether it is there: not if there was no room, or if the launcher has written on meanwhile
 */
function complete({ path, sizeBytes, modifiedAtMs }: SpoolFile): boolean {
  const descriptor = openSync(path, "r+");
  try {
    if (fstatSync(descriptor).size !== sizeBytes) return false;
    writeSync(descriptor, endOfRecord, 0, endOfRecord.length, sizeBytes);
    futimesSync(descriptor, modifiedAtMs / 1000, modifiedAtMs / 1000); // when the event came in
    return true;
  } catch {
    ftruncateSync(descriptor, sizeBytes);
    return false;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Deletes the temporary files of locks that workers left which were killed while they took one. For the lock's holder.
 */
export function sweepLockFiles(lock: string, nowMs: number): void {
  const folder = dirname(lock);
  const names = readdirSync(folder).filter((file) => join(folder, file).startsWith(`${lock}.`));
  for (const path of names.map((file) => join(folder, file))) {
    ignoringErrors(() => {
      if (Math.abs(nowMs - statSync(path).mtimeMs) > lockFileKeptMs) unlinkSync(path);
    });
  }
}

/** Deletes dead letters older than 30 days, and the oldest beyond 200. */
export function sweepDead(spool: string, nowMs: number): void {
  const letters = listWithStats(join(spool, "dead")).sort((a, b) => b.modifiedAtMs - a.modifiedAtMs);
  const expired = letters.filter(
    ({ modifiedAtMs }, index) => index >= spoolBounds.dead || nowMs - modifiedAtMs > deadLetterKeptMs,
  );
  for (const { path } of expired) ignoringErrors(() => unlinkSync(path));
}

/**
 * Removes records until the spool is within its bounds: 1,000 events and 10 MiB. The least urgent go first, among them
 * the oldest. Events that were never tried do not count, for the worker is about to deliver them, and are bounded by ten
 * times as much. Records in a worker's hands stay, and those of a newer version, which alone knows what they
 * are.
 * @param urgencyOf greater numbers stay longer; what is infinitely urgent is never removed
 * @returns what was removed; without a header where it was no whole record
 */
export function evict(spool: string, urgencyOf: (header: RecordHeader | undefined) => number) {
  const queued = ["new", "cur"].flatMap((folder) => listQueued(spool, folder));
  if (isWithin(queued, 1)) return [];
  const candidates = queued
    .flatMap(withHeader)
    .filter(({ header }) => urgencyOf(header) < Number.POSITIVE_INFINITY)
    .sort((a, b) => urgencyOf(a.header) - urgencyOf(b.header) || a.modifiedAtMs - b.modifiedAtMs);
  const evicted = [
    ...excessOf(
      candidates.filter(({ isUntried }) => !isUntried),
      1,
    ),
    ...excessOf(
      candidates.filter(({ isUntried }) => isUntried),
      spoolBounds.burstFactor,
    ),
  ];
  for (const { path } of evicted) unlinkSync(path);
  return evicted.map(({ file, header }) => ({ id: parseEntry(file)?.id ?? file, header }));
}

type Sized = Pick<SpoolFile, "sizeBytes">;

function isWithin(files: readonly Sized[], factor: number): boolean {
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return files.length <= spoolBounds.files * factor && bytes <= spoolBounds.bytes * factor;
}

/** The first files, as many as must go so that the others are within the bounds. */
function excessOf<File extends Sized>(files: readonly File[], factor: number): readonly File[] {
  let bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return files.filter(({ sizeBytes }, index) => {
    const isExcess = files.length - index > spoolBounds.files * factor || bytes > spoolBounds.bytes * factor;
    if (isExcess) bytes -= sizeBytes;
    return isExcess;
  });
}

interface QueuedFile extends SpoolFile {
  readonly isUntried: boolean;
}

/** The records in `new/`, or those in `cur/` that wait for their next attempt. */
function listQueued(spool: string, folder: string): QueuedFile[] {
  return listWithStats(join(spool, folder)).flatMap((found) => {
    const entry = parseEntry(found.file);
    if (!entry || (folder === "cur" && entry.dueAtMs === undefined)) return [];
    return [{ ...found, isUntried: folder === "new" && entry.crashes === 0 }];
  });
}

/** With its header, where it is a whole record; nothing for a record that is not for this version to judge. */
function withHeader(found: QueuedFile) {
  const bytes = readRecordFile(found.path);
  if (!bytes || isOfNewerVersion(bytes)) return [];
  const header = decodeRecord(bytes)?.header;
  return [{ ...found, header, isUntried: found.isUntried && header !== undefined }];
}

/**
 * For files that go without: renamed by a slow launcher, not this user's to delete. What is left is swept the next
 * time.
 */
function ignoringErrors(sweepOne: () => void): void {
  try {
    sweepOne();
  } catch {
    // see above
  }
}
