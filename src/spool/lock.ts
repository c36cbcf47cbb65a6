import * as fs from "node:fs";
import { hostname } from "node:os";
import { crashPoint } from "../core/crash-point.ts";
import { errnoOf } from "../core/errors.ts";
import { readQuietly } from "../core/read-quietly.ts";
import { livingWorker } from "./wake.ts";

/**
 * The worker lock. Only its holder may claim events. A heartbeat, its modification time, is renewed every second.
 * Unlike the installer's lock (src/installer/files/process-lock.ts) it is held for long, perhaps on a home folder that
 * several machines share: a holder that hangs or runs elsewhere is known by its heartbeat alone.
 */
export interface Lock {
  /** False once another worker has taken the lock over: from then on this one must not touch the spool. */
  isHeld(): boolean;
  release(): void;
}

/** A lock whose heartbeat is older is stale, whoever holds it: a worker that hangs, or one on another host. */
const staleAfterMs = 10_000;
const heartbeatMs = 1_000;

/**
 * Acquires the lock, from a dead holder too. Its file holds process number, a random token and the host's name. On a full
 * disk it is empty until there is room: hooks then start workers, which find the lock held and leave.
 * @returns undefined while another worker holds it
 */
export function acquire(lock: string): Lock | undefined {
  const token = `${process.pid}-${Math.random().toString(36).slice(2)}`;
  const content = `${process.pid} ${token} ${hostname()}\n`;
  const temporary = `${lock}.${token}`;
  fs.writeFileSync(temporary, "", { flag: "wx", mode: 0o600 });
  try {
    fill(temporary, content);
    if (!link(temporary, lock) && !takeOver(lock, temporary)) return undefined;
  } finally {
    fs.rmSync(temporary, { force: true });
  }
  crashPoint("locked");
  const identity = identityOf(lock);
  const isHeld = (): boolean =>
    identity !== undefined && identityOf(lock) === identity && ["", content].includes(readQuietly(lock) ?? "");
  const beat = (): void => {
    if (!isHeld()) return;
    fill(lock, content);
    touch(lock);
  };
  const heartbeat = setInterval(beat, heartbeatMs).unref();
  return {
    isHeld,
    release() {
      clearInterval(heartbeat);
      if (isHeld()) fs.unlinkSync(lock);
    },
  };
}

/** Tells a lock's file from one that has taken its place; undefined where there is none. */
function identityOf(lock: string): string | undefined {
  const stats = fs.statSync(lock, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}

/** Writes into a file that is still empty; leaves it empty where there is no room. */
function fill(file: string, content: string): void {
  const descriptor = fs.openSync(file, "r+");
  try {
    if (fs.fstatSync(descriptor).size === 0) fs.writeSync(descriptor, content);
  } catch {
    // a full disk
  } finally {
    fs.closeSync(descriptor);
  }
}

/**
 * Replaces a stale lock, one process at a time: otherwise a process that saw the stale lock could remove the fresh one
 * that another has just put in its place, and both would work.
 */
function takeOver(lock: string, temporary: string): boolean {
  const turn = `${lock}.turn`;
  if (!isStale(lock)) return link(temporary, lock); // it may have been released just now
  if (isStale(turn)) fs.rmSync(turn, { force: true }); // its holder died within these few lines
  if (!link(temporary, turn)) return false;
  try {
    if (!isStale(lock)) return link(temporary, lock);
    if (fs.lstatSync(lock).isDirectory()) fs.renameSync(lock, `${lock}-moved-${Date.now()}`); // somebody's: nothing is deleted
    fs.renameSync(temporary, lock);
    return true;
  } finally {
    fs.rmSync(turn, { force: true });
  }
}

/**
 * Whether no living worker holds the lock any more. A lock that does not exist is not stale but free; a folder, a link or a
 * pipe in its place is no worker's; one that cannot be read, since another user made it, is judged by its time alone.
 */
function isStale(lock: string): boolean {
  const stats = fs.lstatSync(lock, { throwIfNoEntry: false });
  if (!stats?.isFile()) return stats !== undefined;
  const [, , host] = readQuietly(lock)?.trim().split(" ") ?? [];
  const isBeating = Math.abs(Date.now() - stats.mtimeMs) < staleAfterMs;
  return !isBeating || (host === hostname() && livingWorker(lock) === undefined);
}

/** Creates `to` as another name of `from`, or its copy. @returns false if there is one */
function link(from: string, to: string): boolean {
  try {
    linkOrCopy(from, to);
    return true;
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Creates `to` together with its content; where the file system has no hard links, for a moment without. */
function linkOrCopy(from: string, to: string): void {
  try {
    fs.linkSync(from, to);
  } catch (error) {
    if (!["EPERM", "ENOTSUP", "ENOSYS", "EINVAL"].includes(errnoOf(error) ?? "")) throw error;
    fs.writeFileSync(to, fs.readFileSync(from), { flag: "wx", mode: 0o600 });
  }
}

function touch(lock: string): void {
  const now = new Date();
  try {
    fs.utimesSync(lock, now, now);
  } catch {
    // taken over at this moment, or not writable: others will find it stale
  }
}
