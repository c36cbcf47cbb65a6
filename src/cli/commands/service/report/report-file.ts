import type { Stats } from "node:fs";
import { realpath, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { errnoOf } from "../../../../core/errors.ts";
import { replaceFile } from "../../../../io/private-file.ts";
import { CommandError } from "../../../errors.ts";

/** A report names people: a new file is its owner's alone. */
const newMode = 0o600;

/**
 * Finds out early what would keep a file from being written.
 * @throws {CommandError} for a folder in its place, and where its own folder is not there
 */
export async function checkPlace(path: string): Promise<void> {
  const there = await statOf(path);
  if (there?.isDirectory()) throw new CommandError(`${path} is a folder`, "Name a file in it.");
  if (there === undefined && (await statOf(dirname(path))) === undefined) throw refusalOf(path, { code: "ENOENT" });
}

/**
 * Writes a file for the user: whole or not at all. One that is there is replaced and keeps its mode, a link to it stays;
 * what is no file, a pipe or a device, is written to.
 * @throws {CommandError} that says what is in the way
 */
export async function writeReportFile(path: string, content: string): Promise<void> {
  await checkPlace(path);
  const there = await statOf(path);
  try {
    if (there !== undefined && !there.isFile()) await writeFile(path, content);
    else
      await replaceFile(there === undefined ? path : await realpath(path), content, (there?.mode ?? newMode) & 0o777);
  } catch (error) {
    throw refusalOf(path, error);
  }
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw refusalOf(path, error);
  }
}

function refusalOf(path: string, error: unknown): unknown {
  const folder = dirname(path);
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: `the folder ${folder} is not there`,
    ENOTDIR: `${folder} is no folder`,
    EACCES: `${path} may not be written`,
    EPERM: `${path} may not be written`,
    EROFS: `${path} is on a file system that is read-only`,
    ENOSPC: `there is no room left for ${path}`,
    ENAMETOOLONG: "the file's name is too long",
  };
  const reason = reasons[errnoOf(error) ?? ""];
  return reason === undefined ? error : new CommandError(reason, "Nothing was written; name another place with --out.");
}
