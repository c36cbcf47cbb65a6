import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readErrno, SettingsError } from "../../core/errors.ts";
import { quietly, succeeds } from "../../core/quietly.ts";

/** Snapshot of a settings file. */
export interface SettingsSnapshot {
  /** Path as given. */
  readonly path: string;
  /** Real path. A link is never replaced. */
  readonly target: string;
  /** Content; undefined for a missing file. */
  readonly bytes: Buffer | undefined;
  /** Permission bits; 0600 for a missing file. */
  readonly mode: number;
  readonly groupId: number | undefined;
  /** Number of hard links. If the file has several names, replacing it separates them. */
  readonly links: number;
}

/**
 * Reads a settings file, following links. Never blocks on a FIFO or device. Unless `anyOwner` is set, refuses another
 * user's file and, for root, a new file in another user's folder.
 * @throws {SettingsError} `settings.link` for a loop or a broken link, `settings.not-a-file`, `settings.owner`,
 * `settings.size` above `maxBytes`, `settings.unreadable`
 */
export async function readSettingsFile(
  path: string,
  maxBytes: number,
  { anyOwner = false } = {},
): Promise<SettingsSnapshot> {
  // Synchronously, because status looks for a hundred files, which takes three times as long with promises.
  const target = await resolveTarget(path);
  const descriptor = openExisting(path, target);
  if (descriptor === undefined && !anyOwner) refuseForeignFolder(path, dirname(target));
  if (descriptor === undefined) return { path, target, bytes: undefined, mode: 0o600, groupId: undefined, links: 1 };
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new SettingsError("settings.not-a-file", path, "not a regular file");
    const isOthers = process.getuid !== undefined && stats.uid !== process.getuid();
    if (isOthers && !anyOwner) throw new SettingsError("settings.owner", path, "another user's file");
    if (stats.size > maxBytes)
      throw new SettingsError("settings.size", path, `larger than ${maxBytes / 1024 / 1024} MiB`);
    const bytes = readFileSync(descriptor);
    return { path, target, bytes, mode: stats.mode & 0o7777, groupId: stats.gid, links: stats.nlink };
  } finally {
    closeSync(descriptor);
  }
}

function refuseForeignFolder(path: string, folder: string): void {
  if (process.getuid?.() !== 0) return;
  const owner = quietly(() => statSync(folder).uid) ?? 0; // undefined for a new folder
  const hint = "Run this command as that user. Nothing was changed.";
  if (owner !== 0) throw new SettingsError("settings.owner", path, "in another user's folder", hint);
}

/** Resolves a path whose last parts need not exist yet. @throws {SettingsError} */
export async function resolveTarget(path: string): Promise<string> {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const code = readErrno(error);
    if (code === "ELOOP") throw new SettingsError("settings.link", path, "a link to itself");
    if (code === "ENOTDIR")
      throw new SettingsError("settings.not-a-file", path, "a parent in its path is not a folder");
    if (code !== "ENOENT") throw new SettingsError("settings.unreadable", path, `cannot be reached (${code})`);
  }
  if (succeeds(() => lstatSync(path))) throw new SettingsError("settings.link", path, "a broken link");
  return join(await resolveTarget(dirname(path)), basename(path));
}

function openExisting(path: string, target: string): number | undefined {
  try {
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    return openSync(target, flags);
  } catch (error) {
    const code = readErrno(error);
    if (code === "ENOENT") return undefined;
    throw new SettingsError("settings.unreadable", path, `cannot be read (${code})`);
  }
}
