import * as fs from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../core/errors.ts";
import { openFile } from "../files/read-file.ts";
import { isOfNewerVersion, maxRecordBytes, versionBytes } from "./record.ts";

/** A regular file in a folder of the spool. */
export interface SpoolFile {
  readonly file: string;
  /** Absolute path. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
}

/**
 * The regular files of a folder, without those that vanish meanwhile. Links, folders, pipes and devices are no records.
 */
export function listWithStats(folder: string): SpoolFile[] {
  return fs.readdirSync(folder).flatMap((file) => {
    const path = join(folder, file);
    const stats = fs.lstatSync(path, { throwIfNoEntry: false });
    return stats?.isFile() ? [{ file, path, sizeBytes: stats.size, modifiedAtMs: stats.mtimeMs }] : [];
  });
}

/**
 * The bytes of a file that may be a record: of one that is larger than any record, as many as the largest has.
 * @returns undefined where there is none to read: it has vanished, is no regular file, or is not readable for this user
 * @throws where this process has no descriptor left
 */
export function readRecordFile(path: string, maxBytes: number = maxRecordBytes): Buffer | undefined {
  return unlessUnreadable(() => readRegularFile(path, (sizeBytes) => [0, Math.min(sizeBytes, maxBytes)]));
}

/** As readRecordFile(), but the last bytes of the file. */
export function readRecordEnd(path: string, bytes: number): Buffer | undefined {
  return unlessUnreadable(() => readRegularFile(path, (sizeBytes) => [Math.max(0, sizeBytes - bytes), bytes]));
}

function unlessUnreadable(read: () => Buffer | undefined): Buffer | undefined {
  try {
    return read();
  } catch (error) {
    if (["EMFILE", "ENFILE"].includes(errnoOf(error) ?? "")) throw error;
    return undefined;
  }
}

/** Whether a file is for this version to work on: it is a regular file, and no record of a newer version. */
export function isWorkable(path: string): boolean {
  const bytes = readRecordFile(path, versionBytes);
  return bytes !== undefined && !isOfNewerVersion(bytes);
}

type Range = readonly [offset: number, length: number];

function readRegularFile(path: string, rangeOf: (sizeBytes: number) => Range): Buffer | undefined {
  const file = openFile(path, { isOwnName: true });
  try {
    return file?.read(...rangeOf(file.sizeBytes));
  } finally {
    file?.close();
  }
}
