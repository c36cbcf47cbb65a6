import { readdirSync, readFileSync, renameSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../core/errors.ts";
import { parseEntry } from "./entry.ts";
import { decodeRecord, type RecordHeader } from "./record.ts";

/** A launcher that has not renamed its file after this time is dead. */
const launcherDoneMs = 2_000;
const partialRecordKeptMs = 3_600_000;
const deadLetterKeptMs = 30 * 24 * 3_600_000;

/** Most that a spool holds. Beyond it the least urgent events are evicted, the oldest first; dead letters by age. */
export const spoolBounds = { files: 1000, bytes: 10 * 1024 * 1024, dead: 200 } as const;

/**
 * Moves complete records of launchers that were killed before they could rename them into `new/`; deletes incomplete
 * ones after an hour.
 */
export function sweepTemporary(spool: string, nowMs: number): void {
  for (const { file, path, modifiedAtMs } of listWithStats(join(spool, "tmp"))) {
    // Of either sign: after the clock was set back, a file that a launcher left behind is from the future.
    const ageMs = Math.abs(nowMs - modifiedAtMs);
    if (ageMs < launcherDoneMs) continue;
    try {
      const isSettling = file.endsWith(".settle");
      if (!isSettling && decodeRecord(readFileSync(path))) renameSync(path, join(spool, "new", `${file}.json`));
      else if (isSettling || ageMs > partialRecordKeptMs) unlinkSync(path);
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") throw error; // a slow launcher has just renamed it
    }
  }
}

/** Deletes dead letters older than 30 days, and the oldest beyond 200. */
export function sweepDead(spool: string, nowMs: number): void {
  const letters = listWithStats(join(spool, "dead")).sort((a, b) => b.modifiedAtMs - a.modifiedAtMs);
  const expired = letters.filter(
    ({ modifiedAtMs }, index) => index >= spoolBounds.dead || nowMs - modifiedAtMs > deadLetterKeptMs,
  );
  for (const { path } of expired) unlinkSync(path);
}

/**
 * Removes records until the spool is within its bounds: 1,000 events and 10 MiB. The least urgent go first, among them
 * the oldest; records in a worker's hands stay.
 * @param urgencyOf greater numbers stay longer
 * @returns what was removed; without a header where it was no whole record
 */
export function evict(spool: string, urgencyOf: (header: RecordHeader | undefined) => number) {
  const waiting = ["new", "cur"].flatMap((folder) =>
    listWithStats(join(spool, folder)).filter(({ file }) => {
      const entry = parseEntry(file);
      return entry && (folder === "new" || entry.dueAtMs !== undefined);
    }),
  );
  let bytes = waiting.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let count = waiting.length;
  const isWithinBounds = () => count <= spoolBounds.files && bytes <= spoolBounds.bytes;
  if (isWithinBounds()) return [];
  const candidates = waiting
    .map((file) => ({ ...file, header: decodeRecord(readFileSync(file.path))?.header }))
    .sort((a, b) => urgencyOf(a.header) - urgencyOf(b.header) || a.modifiedAtMs - b.modifiedAtMs);
  const evicted: { id: string; header: RecordHeader | undefined }[] = [];
  for (const { file, path, sizeBytes, header } of candidates) {
    if (isWithinBounds()) break;
    unlinkSync(path);
    evicted.push({ id: parseEntry(file)?.id ?? file, header });
    count -= 1;
    bytes -= sizeBytes;
  }
  return evicted;
}

/** The files of a folder with size and modification time, without those that vanish meanwhile. */
export function listWithStats(folder: string) {
  return readdirSync(folder).flatMap((file) => {
    const path = join(folder, file);
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() ? [{ file, path, sizeBytes: stats.size, modifiedAtMs: stats.mtimeMs }] : [];
  });
}
