import { constants } from "node:fs";
import { type FileHandle, lstat, open, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errnoOf, SettingsError } from "../../core/errors.ts";

/** A settings file as it was at one moment. */
export interface SettingsSnapshot {
  /** As it was named. */
  readonly path: string;
  /** The real path; a link itself is never replaced. */
  readonly target: string;
  /** Undefined: there is no file. */
  readonly bytes: Buffer | undefined;
  /** Permission bits; 0600 where there is no file. */
  readonly mode: number;
  readonly groupId: number | undefined;
  /** Number of hard links; with more than one, a replacement separates them. */
  readonly links: number;
}

/**
 * Reads a settings file, following links. Never blocks on a FIFO or device. `anyOwner` also reads another user's file,
 * as the agent itself does; otherwise it is refused, and for root a new file in another user's folder, too.
 * @throws {SettingsError} `settings.link` for a loop or a broken link, `settings.not-a-file`,
 * `settings.owner`, `settings.size` above `maxBytes`, `settings.unreadable`
 */
export async function readSettingsFile(
  path: string,
  maxBytes: number,
  { anyOwner = false } = {},
): Promise<SettingsSnapshot> {
  const target = await targetOf(path);
  const handle = await openExisting(path, target);
  if (!handle && !anyOwner) await refuseForeignFolder(path, dirname(target));
  if (!handle) return { path, target, bytes: undefined, mode: 0o600, groupId: undefined, links: 1 };
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new SettingsError("settings.not-a-file", path, "not a regular file");
    const isOthers = process.getuid !== undefined && stats.uid !== process.getuid();
    if (isOthers && !anyOwner) throw new SettingsError("settings.owner", path, "another user's file");
    if (stats.size > maxBytes)
      throw new SettingsError("settings.size", path, `larger than ${maxBytes / 1024 / 1024} MiB`);
    const bytes = await handle.readFile();
    return { path, target, bytes, mode: stats.mode & 0o7777, groupId: stats.gid, links: stats.nlink };
  } finally {
    await handle.close();
  }
}

async function refuseForeignFolder(path: string, folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const owner = await stat(folder).then(
    ({ uid }) => uid,
    () => 0, // to be made
  );
  const hint = "Run this as that user. Nothing was changed.";
  if (owner !== 0) throw new SettingsError("settings.owner", path, "in another user's folder", hint);
}

/** The real path of a path whose last parts need not exist yet. @throws {SettingsError} */
export async function targetOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const code = errnoOf(error);
    if (code === "ELOOP") throw new SettingsError("settings.link", path, "a link that leads back to itself");
    if (code === "ENOTDIR") throw new SettingsError("settings.not-a-file", path, "a part of its path is not a folder");
    if (code !== "ENOENT") throw new SettingsError("settings.unreadable", path, `cannot be reached (${code})`);
  }
  const isThere = await lstat(path).then(
    () => true,
    () => false, // nothing there
  );
  if (isThere) throw new SettingsError("settings.link", path, "a link that leads nowhere");
  return join(await targetOf(dirname(path)), basename(path));
}

async function openExisting(path: string, target: string): Promise<FileHandle | undefined> {
  try {
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    return await open(target, flags);
  } catch (error) {
    const code = errnoOf(error);
    if (code === "ENOENT") return undefined;
    throw new SettingsError("settings.unreadable", path, `cannot be read (${code})`);
  }
}
