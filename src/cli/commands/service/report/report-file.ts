import type { Stats } from "node:fs";
import { mkdir, realpath, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { CommandError, readErrno } from "../../../../core/errors.ts";
import { replaceFile } from "../../../../files/atomic-file.ts";

/** Mode of a new file: readable only by the user, because a report names people. */
const newMode = 0o600;
const newFolderMode = 0o700;

/**
 * Checks that a report's file can be written. Call this before the report is made.
 * @throws {CommandError} if the path is a folder, or its folder does not exist
 */
export async function checkReportFile(path: string): Promise<void> {
  const existing = await readTarget(path);
  if (existing?.isDirectory()) throw new CommandError(`${path} is a folder`, "Give the path of a file in it.");
}

/**
 * Checks that a report's files can be written into a folder. The folder may be missing.
 * @throws {CommandError} if the path is a file, or the folder around it does not exist
 */
export async function checkReportFolder(path: string): Promise<void> {
  const existing = await readTarget(path);
  if (existing?.isDirectory() === false) throw new CommandError(`${path} is not a folder`, "Give a folder with --csv.");
}

/** Reads what is at a path; undefined if nothing is. @throws {CommandError} if the folder around it is missing too */
async function readTarget(path: string): Promise<Stats | undefined> {
  const existing = await readStats(path);
  if (existing || (await readStats(dirname(path)))) return existing;
  throw writeFailure(path, { code: "ENOENT" });
}

/**
 * Creates a private folder for a report's files. An existing folder stays unchanged.
 * @throws {CommandError} if it cannot be created
 */
export async function makeReportFolder(path: string): Promise<void> {
  await mkdir(path, { mode: newFolderMode }).catch((error: unknown) => {
    if (readErrno(error) !== "EEXIST") throw writeFailure(path, error);
  });
}

/**
 * Writes a file atomically. Keeps an existing file's mode; if the path is a link, writes the file that it links to.
 * Writes directly to a pipe or device.
 * @throws {CommandError} if the file cannot be written
 */
export async function writeReportFile(path: string, content: string): Promise<void> {
  await checkReportFile(path);
  const existing = await readStats(path);
  try {
    if (existing && !existing.isFile()) return await writeFile(path, content);
    const mode = existing ? existing.mode & 0o777 : newMode;
    replaceFile(existing ? await realpath(path) : path, content, { mode, isFlushed: true });
  } catch (error) {
    throw writeFailure(path, error);
  }
}

function readStats(path: string): Promise<Stats | undefined> {
  return stat(path).catch((error: unknown) => {
    if (readErrno(error) !== "ENOENT") throw writeFailure(path, error);
    return undefined;
  });
}

function writeFailure(path: string, error: unknown): unknown {
  const folder = dirname(path);
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: `the folder ${folder} does not exist`,
    ENOTDIR: `${folder} is not a folder`,
    EACCES: `no permission to write ${path}`,
    EPERM: `no permission to write ${path}`,
    EROFS: `${path} is on a read-only file system`,
    ENOSPC: `no space left for ${path}`,
    ENAMETOOLONG: "the file name is too long",
  };
  const reason = reasons[readErrno(error) ?? ""];
  return reason === undefined ? error : new CommandError(reason, "Choose another place.");
}
