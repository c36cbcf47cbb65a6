import { randomBytes } from "node:crypto";
import { readdir, readlink, rename, rm, stat, symlink, utimes } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { readErrno } from "../../core/errors.ts";
import { flushFolder } from "../../files/atomic-file.ts";
import { readLockLine } from "../../files/lock-line.ts";
import type { Paths } from "../../files/paths.ts";
import { findProcess } from "../../files/process-table.ts";

/**
 * Time that a replaced copy is kept, milliseconds, and longer while any worker runs: a worker that runs from the old copy
 * still loads modules on demand, and exits after delivering its events.
 */
const keepOldCopyMs = 600_000;

/**
 * Switches `app` to a copy by renaming a link, so that a file opened below `app` always belongs to the old or the new
 * copy. Removes copies that were replaced more than ten minutes ago, unless a worker runs. On a file
 * system without links (exFAT, some network drives), the copy itself is renamed, and `app` is missing for a moment.
 */
export async function switchTo(copy: string, { app, root, lock }: Pick<Paths, "app" | "root" | "lock">): Promise<void> {
  const old = await currentCopy(app);
  const link = `${app}.link-${randomBytes(6).toString("hex")}`;
  const isLinked = await linkTo(copy, link);
  try {
    await replace(isLinked ? link : copy, app);
  } finally {
    if (isLinked) await rm(link, { force: true });
  }
  flushFolder(root);
  const now = new Date();
  if (old !== undefined) await utimes(old, now, now);
  const worker = readLockLine(lock);
  if (!worker || !findProcess(worker.pid)) await sweep(root, copy);
}

/** Creates a link to a copy. @returns false if the file system has no links */
async function linkTo(copy: string, link: string): Promise<boolean> {
  // A junction, which any Windows user may create, needs an absolute path. A relative link allows moving the root.
  const isWindows = process.platform === "win32";
  try {
    await symlink(isWindows ? copy : basename(copy), link, isWindows ? "junction" : "dir");
    // Check a path through the link, because Wine creates broken junctions.
    await stat(link);
    return true;
  } catch (error) {
    if (!noLinkErrors.includes(readErrno(error) ?? "")) throw error;
    await rm(link, { recursive: true, force: true });
    return false;
  }
}

/** Error codes of Windows and of file systems without links. */
const noLinkErrors: readonly string[] = [
  "EPERM",
  "EACCES",
  "ENOSYS",
  "ENOTSUP",
  "EINVAL",
  "EISDIR",
  "ENOENT",
  "UNKNOWN",
];

/** Returns the copy that `app` links to; undefined if `app` is not a link or is a broken link. */
async function currentCopy(app: string): Promise<string | undefined> {
  try {
    const copy = resolve(dirname(app), await readlink(app));
    await stat(copy);
    return copy;
  } catch (error) {
    if (["ENOENT", "EINVAL", "UNKNOWN"].includes(readErrno(error) ?? "")) return undefined;
    throw error;
  }
}

async function replace(link: string, app: string): Promise<void> {
  try {
    await rename(link, app);
  } catch (error) {
    // A folder, as in earlier versions, and a junction on Windows cannot be replaced atomically.
    if (!["EISDIR", "ENOTEMPTY", "EEXIST", "EPERM"].includes(readErrno(error) ?? "")) throw error;
    const old = `${app}.old-${randomBytes(6).toString("hex")}`;
    await rename(app, old);
    try {
      await rename(link, app);
    } catch (failure) {
      await rename(old, app);
      throw failure;
    }
    const now = new Date();
    await utimes(old, now, now);
  }
}

async function sweep(root: string, current: string): Promise<void> {
  for (const name of (await readdir(root)).filter(isCopy)) {
    const path = join(root, name);
    if (path === current || Date.now() - (await changedAtMs(path)) < keepOldCopyMs) continue;
    await rm(path, { recursive: true, force: true });
  }
}

async function changedAtMs(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0, // a broken link
  );
}

/** Checks if a name belongs to a copy of the app, or to a link that an installer did not finish. */
export function isCopy(name: string): boolean {
  return /^app(?:-|\.(?:new|old|link)-)[0-9a-f]{12}$/.test(name);
}
