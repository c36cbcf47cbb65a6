import * as fs from "node:fs";
import { join } from "node:path";
import { readErrno } from "../core/errors.ts";
import { type OpenFile, openFile } from "../files/read-file.ts";
import { isNewerVersion, maxRecordBytes, versionBytes } from "./record.ts";

/** Regular file in a spool folder. */
export interface SpoolFile {
  readonly file: string;
  /** Absolute path of the file. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
}

/** Lists the regular files in a folder. Skips links, folders, pipes, devices, and files that are removed meanwhile. */
export function listWithStats(folder: string): SpoolFile[] {
  return fs.readdirSync(folder).flatMap((file) => {
    const path = join(folder, file);
    const stats = fs.lstatSync(path, { throwIfNoEntry: false });
    return stats?.isFile() ? [{ file, path, sizeBytes: stats.size, modifiedAtMs: stats.mtimeMs }] : [];
  });
}

/**
 * Reads a spool file, up to the maximum size of a record.
 * @returns undefined if the file is gone, is not a regular file, or cannot be read by this user
 * @throws if this process has no file descriptors left
 */
export function readRecordFile(path: string, maxBytes: number = maxRecordBytes): Buffer | undefined {
  return readPart(path, (sizeBytes) => [0, Math.min(sizeBytes, maxBytes)]);
}

/** Reads the last bytes of a spool file. Returns undefined and throws in the same cases as `readRecordFile`. */
export function readRecordEnd(path: string, bytes: number): Buffer | undefined {
  return readPart(path, (sizeBytes) => [Math.max(0, sizeBytes - bytes), bytes]);
}

/** True if this version can process a file: it is a readable regular file, and not a record of a newer version. */
export function isSupportedRecord(path: string): boolean {
  const bytes = readRecordFile(path, versionBytes);
  return bytes !== undefined && !isNewerVersion(bytes);
}

type Range = readonly [offset: number, length: number];

function readPart(path: string, selectRange: (sizeBytes: number) => Range): Buffer | undefined {
  let file: OpenFile | undefined;
  try {
    file = openFile(path, { isOwnName: true });
    return file?.read(...selectRange(file.sizeBytes));
  } catch (error) {
    if (["EMFILE", "ENFILE"].includes(readErrno(error) ?? "")) throw error;
    return undefined;
  } finally {
    file?.close();
  }
}
