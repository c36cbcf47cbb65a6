import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { access, chmod, chown, link, readdir, readFile, rename, rm, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errnoOf } from "../../core/errors.ts";
import { fault } from "../../core/crash-point.ts";
import { flushFolder, writeNewFile } from "../../io/private-file.ts";
import { readSettingsFile, refusal, type SettingsSnapshot } from "./read-settings-file.ts";

/** Longest that Windows is given to let go of a file that an agent or a virus scanner holds. */
const renamePatienceMs = 2000;

export interface Replacement {
  readonly snapshot: SettingsSnapshot;
  /** The new content; undefined: the file goes. */
  readonly after: Buffer | undefined;
  /** Called when all is ready and nothing has happened yet. */
  readonly beforeRename: () => Promise<void>;
}

/**
 * Refuses a file that its owner has made read-only: a rename would pass over that without a word.
 * @throws {SettingsError} `settings.read-only`
 */
export async function refuseReadOnly({ path, target, bytes, mode }: SettingsSnapshot): Promise<void> {
  const hint = "Make it writable, or add the entries where it is made. Nothing was changed.";
  if (bytes !== undefined && (mode & 0o200) === 0) throw refusal("settings.read-only", path, "read-only", hint);
  try {
    await access(dirname(target), constants.W_OK);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return;
    throw refusal("settings.read-only", path, "its folder is read-only", hint);
  }
}

/**
 * Puts a new content in place of a settings file: at every instant the file is the complete old or the complete new one.
 * Its mode stays, a link to it stays. The folder exists.
 * @throws {SettingsError} `settings.changed` if the file is not what the snapshot says any more, `settings.read-only`,
 * `settings.write`
 */
export async function replaceSettingsFile(replacement: Replacement): Promise<void> {
  const { snapshot, after, beforeRename } = replacement;
  await refuseReadOnly(snapshot);
  const folder = dirname(snapshot.target);
  await sweepTemps(snapshot.target);
  if (after === undefined) {
    await beforeRename();
    await refuseChanged(snapshot);
    await rm(snapshot.target, { force: true });
    return flushFolder(folder);
  }
  const temp = join(folder, `${tempPrefix(snapshot.target)}${randomBytes(8).toString("hex")}.tmp`);
  try {
    await writeTemp(temp, snapshot, after);
    fault("settings:temp");
    await beforeRename();
    fault("settings:recorded");
    await refuseChanged(snapshot);
    await moveInto(temp, snapshot);
    fault("settings:renamed");
  } finally {
    await rm(temp, { force: true });
  }
  await flushFolder(folder);
}

async function writeTemp(temp: string, { path, mode, groupId }: SettingsSnapshot, after: Buffer): Promise<void> {
  try {
    await writeNewFile(temp, after, mode);
    if (groupId !== undefined && process.getuid) await keepGroup(temp, process.getuid(), groupId, mode);
    if (!(await readFile(temp)).equals(after)) throw new Error("what was read back is not what was written");
  } catch (error) {
    const why = errnoOf(error) ?? (error as Error).message;
    throw refusal("settings.write", path, `a new content could not be written beside it (${why})`);
  }
}

/** A group that cannot be kept loses its access: the user's own group may be everybody. */
async function keepGroup(temp: string, userId: number, groupId: number, mode: number): Promise<void> {
  try {
    await chown(temp, userId, groupId);
  } catch (error) {
    if (errnoOf(error) !== "EPERM") throw error;
    await chmod(temp, mode & ~0o070);
  }
}

async function refuseChanged(snapshot: SettingsSnapshot): Promise<void> {
  const now = await readSettingsFile(snapshot.path, Number.POSITIVE_INFINITY);
  const isSame = now.bytes === undefined ? snapshot.bytes === undefined : snapshot.bytes?.equals(now.bytes) === true;
  if (!isSame || now.target !== snapshot.target) throw changed(snapshot.path);
}

async function moveInto(temp: string, { path, target, bytes }: SettingsSnapshot): Promise<void> {
  if (bytes !== undefined) return renamePatiently(temp, target);
  try {
    // Unlike a rename, a link never replaces a file that somebody made in this very moment.
    await link(temp, target);
    await unlink(temp);
  } catch (error) {
    if (errnoOf(error) === "EEXIST") throw changed(path);
    // File systems without hard links.
    await renamePatiently(temp, target);
  }
}

async function renamePatiently(from: string, to: string): Promise<void> {
  for (const deadline = Date.now() + renamePatienceMs; ; await sleep(50)) {
    try {
      return await rename(from, to);
    } catch (error) {
      const mayPass = process.platform === "win32" && ["EPERM", "EBUSY", "EACCES"].includes(errnoOf(error) ?? "");
      if (!mayPass || Date.now() > deadline) {
        throw refusal("settings.write", to, `could not be replaced (${errnoOf(error)})`);
      }
    }
  }
}

/** Temps of an installer that was killed. Whoever calls holds the installer's lock, so none is in use. */
export async function sweepTemps(target: string): Promise<void> {
  const folder = dirname(target);
  const stray = (await readdir(folder)).filter((name) => name.startsWith(tempPrefix(target)) && name.endsWith(".tmp"));
  for (const name of stray) await rm(join(folder, name), { force: true });
}

function tempPrefix(target: string): string {
  return `.${basename(target)}.beckon-`;
}

function changed(path: string) {
  return refusal("settings.changed", path, "somebody else is writing to it", "Run this again when the agent is quiet.");
}
