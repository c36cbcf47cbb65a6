import { randomBytes } from "node:crypto";
import { readdir, readlink, rename, rm, stat, symlink, utimes } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { errnoOf } from "../../core/errors.ts";
import type { Paths } from "../../core/paths.ts";
import { flushFolder } from "../../io/private-file.ts";

/**
 * A copy that was replaced is kept so long: a worker that runs from it loads parts of itself when it needs them. It sees
 * that it has been replaced and leaves as soon as what it has in hand is delivered.
 */
const keepMs = 600_000;

/**
 * Makes a copy the one that `app` leads to: one rename of a link, so that whoever opens a file below `app` gets one of
 * the old copy or one of the new. The old copy stays for those who run from it; copies nobody can be running from go.
 */
export async function switchTo(copy: string, { app, root }: Pick<Paths, "app" | "root">): Promise<void> {
  const old = await currentCopy(app);
  const link = `${app}.link-${randomBytes(6).toString("hex")}`;
  // A junction, which Windows lets everybody make, needs the whole path; elsewhere the root may be moved as it is.
  const isWindows = process.platform === "win32";
  await symlink(isWindows ? copy : basename(copy), link, isWindows ? "junction" : "dir");
  try {
    await replace(link, app);
  } finally {
    await rm(link, { force: true });
  }
  await flushFolder(root);
  const now = new Date();
  if (old !== undefined) await utimes(old, now, now);
  await sweep(root, copy);
}

/** The folder that `app` leads to; undefined: it is none of ours yet, or leads nowhere. */
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
    () => 0, // a link that leads nowhere
  );
}

/** Whether a name in the root is a copy of the toolkit, in use or not, or a link an installer did not finish. */
export function isCopy(name: string): boolean {
  return /^app(?:-|\.(?:new|old|link)-)[0-9a-f]{12}$/.test(name);
}
