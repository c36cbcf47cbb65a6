import { randomBytes } from "node:crypto";
import { readdir, readlink, rename, rm, stat, symlink, utimes } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { errnoOf } from "../../core/errors.ts";
import { flushFolder } from "../../files/atomic-file.ts";
import type { Paths } from "../../files/paths.ts";

/**
 * How long a replaced copy is kept, milliseconds: a worker that runs from it loads parts of itself when it needs them.
 * Such a worker notices that it has been replaced, and exits as soon as it has delivered what it holds.
 */
const keepMs = 600_000;

/**
 * Makes `app` lead to a copy, by one rename of a link: a file opened below `app` is always one of the old or of the new
 * copy. The old copy stays for processes that run from it; older copies are removed. Where the file system has no links
 * (exFAT, some network drives), the copy itself is renamed, and for a moment there is no `app`.
 */
export async function switchTo(copy: string, { app, root }: Pick<Paths, "app" | "root">): Promise<void> {
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
  await sweep(root, copy);
}

/** Makes a link to a copy. @returns false where the file system has no links */
async function linkTo(copy: string, link: string): Promise<boolean> {
  // A junction, which Windows lets every user make, needs an absolute path; a relative link lets the root be moved.
  const isWindows = process.platform === "win32";
  try {
    await symlink(isWindows ? copy : basename(copy), link, isWindows ? "junction" : "dir");
    // A path through the link proves it: Wine makes junctions that lead nowhere.
    await stat(link);
    return true;
  } catch (error) {
    if (!noLinks.includes(errnoOf(error) ?? "")) throw error;
    await rm(link, { recursive: true, force: true });
    return false;
  }
}

/** What Windows and file systems without links say. */
const noLinks: readonly string[] = ["EPERM", "EACCES", "ENOSYS", "ENOTSUP", "EINVAL", "EISDIR", "ENOENT", "UNKNOWN"];

/** The copy that `app` leads to; undefined: it is no link, or a broken one. */
async function currentCopy(app: string): Promise<string | undefined> {
  try {
    const copy = resolve(dirname(app), await readlink(app));
    await stat(copy);
    return copy;
  } catch (error) {
    if (["ENOENT", "EINVAL", "UNKNOWN"].includes(errnoOf(error) ?? "")) return undefined;
    throw error;
  }
}

async function replace(link: string, app: string): Promise<void> {
  try {
    await rename(link, app);
  } catch (error) {
    // A folder, as earlier versions had it, and a junction on Windows cannot be replaced in one step.
    if (!["EISDIR", "ENOTEMPTY", "EEXIST", "EPERM"].includes(errnoOf(error) ?? "")) throw error;
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
    if (path === current || Date.now() - (await changedAtMs(path)) < keepMs) continue;
    await rm(path, { recursive: true, force: true });
  }
}

async function changedAtMs(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0, // a broken link
  );
}

/** Whether a name in the root is that of a copy, in use or not, or of a link that an installer did not finish. */
export function isCopy(name: string): boolean {
  return /^app(?:-|\.(?:new|old|link)-)[0-9a-f]{12}$/.test(name);
}
