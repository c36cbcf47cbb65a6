import { randomBytes } from "node:crypto";
import { constants, openSync } from "node:fs";
import { access, chmod, chown, link, readdir, readFile, rename, rm, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readErrno, SettingsError } from "../../core/errors.ts";
import { fillFile, flushFolder } from "../../files/atomic-file.ts";
import { crashPoint } from "../../files/crash-point.ts";
import { copyAttributes } from "../../io/copy-attributes.ts";
import { type Content, readSettingsFile, type SettingsSnapshot, sameContent } from "./read-settings-file.ts";

/** Maximum time for repeating a rename on Windows while an agent or a virus scanner has the file open, milliseconds. */
const renameRetryMs = 2000;

/**
 * Refuses a read-only file, which a rename would replace nevertheless, and a file in a read-only folder. @throws
 * {SettingsError} `settings.read-only`
 */
export async function refuseReadOnly({ path, target, bytes, mode }: SettingsSnapshot): Promise<void> {
  const hint = "Make it writable, or add the entries to the source it is generated from. Nothing was changed.";
  if (bytes !== undefined && (mode & 0o200) === 0)
    throw new SettingsError("settings.read-only", path, "read-only", hint);
  try {
    await access(dirname(target), constants.W_OK);
  } catch (error) {
    if (readErrno(error) === "ENOENT") return;
    throw new SettingsError("settings.read-only", path, "its folder is read-only", hint);
  }
}

/**
 * Replaces the content of a settings file, whose folder must exist. At every instant the file has either its complete
 * old content or its complete new content. Its mode and symbolic links to it stay, as do its access control list and
 * extended attributes where the system's `cp` can copy them.
 * @param after the new content; undefined: the file is removed
 * @param beforeRename called when everything is ready and the file has not been replaced yet
 * @throws {SettingsError} `settings.changed` if the file is no longer what the snapshot says, `settings.read-only`,
 * `settings.attributes`, `settings.write`
 */
export async function replaceSettingsFile(
  snapshot: SettingsSnapshot,
  after: Content,
  beforeRename: () => Promise<void> = async () => {},
): Promise<void> {
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
    crashPoint("settings:temp");
    await beforeRename();
    crashPoint("settings:recorded");
    await refuseChanged(snapshot);
    await moveInto(temp, snapshot);
    crashPoint("settings:renamed");
  } finally {
    await rm(temp, { force: true });
  }
  flushFolder(folder);
}

async function writeTemp(temp: string, snapshot: SettingsSnapshot, after: Buffer): Promise<void> {
  const { path, target, bytes, mode, groupId } = snapshot;
  try {
    const copying = bytes === undefined ? "unsupported" : await copyAttributes(target, temp);
    if (copying === "refused") throw attributesLost(path);
    if (copying === "changed") throw changed(path);
    const isCopy = copying === "copied";
    const flags = isCopy ? constants.O_WRONLY | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0) : "wx";
    fillFile(openSync(temp, flags, mode), after, { mode, isFlushed: true });
    if (groupId !== undefined && process.getuid) await keepGroup(temp, process.getuid(), groupId, mode);
    if (!(await readFile(temp)).equals(after)) throw new Error("what was read back is not what was written");
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    const why = readErrno(error) ?? (error as Error).message;
    throw new SettingsError("settings.write", path, `the new content could not be written next to it (${why})`);
  }
}

/** Keeps the file's group. If that fails, removes group access: the user's own group may include everybody. */
async function keepGroup(temp: string, userId: number, groupId: number, mode: number): Promise<void> {
  try {
    await chown(temp, userId, groupId);
  } catch (error) {
    if (readErrno(error) !== "EPERM") throw error;
    await chmod(temp, mode & ~0o070);
  }
}

async function refuseChanged(snapshot: SettingsSnapshot): Promise<void> {
  const now = await readSettingsFile(snapshot.path, Number.POSITIVE_INFINITY);
  const isSame = sameContent(now.bytes, snapshot.bytes) && now.target === snapshot.target;
  if (!isSame) throw changed(snapshot.path);
}

async function moveInto(temp: string, { path, target, bytes }: SettingsSnapshot): Promise<void> {
  if (bytes !== undefined) return renameWithRetries(temp, target);
  try {
    // Unlike a rename, a link never replaces a file created in the meantime.
    await link(temp, target);
    await unlink(temp);
  } catch (error) {
    if (readErrno(error) === "EEXIST") throw changed(path);
    // The file system has no hard links.
    await renameWithRetries(temp, target);
  }
}

async function renameWithRetries(from: string, to: string): Promise<void> {
  for (const deadline = Date.now() + renameRetryMs; ; await sleep(50)) {
    try {
      return await rename(from, to);
    } catch (error) {
      const mayPass = process.platform === "win32" && ["EPERM", "EBUSY", "EACCES"].includes(readErrno(error) ?? "");
      if (!mayPass || Date.now() > deadline) {
        throw new SettingsError("settings.write", to, `could not be replaced (${readErrno(error)})`);
      }
    }
  }
}

/** Removes temporary files of a killed installer. The caller holds the lock, so no temporary file is in use. */
export async function sweepTemps(target: string): Promise<void> {
  const folder = dirname(target);
  const stray = (await readdir(folder)).filter((name) => name.startsWith(tempPrefix(target)) && name.endsWith(".tmp"));
  for (const name of stray) await rm(join(folder, name), { force: true });
}

function tempPrefix(target: string): string {
  return `.${basename(target)}.beckon-`;
}

function attributesLost(path: string): SettingsError {
  const hint = "Add the entries yourself, or remove those attributes. Nothing was changed.";
  return new SettingsError("settings.attributes", path, "its access list or attributes cannot be preserved", hint);
}

function changed(path: string): SettingsError {
  const hint = "Try again when the agent is idle.";
  return new SettingsError("settings.changed", path, "another program is writing to it", hint);
}
