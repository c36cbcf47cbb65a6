import * as fs from "node:fs";
import { hostname } from "node:os";
import { crashPoint } from "../core/crash-point.ts";
import { errnoOf } from "../core/errors.ts";
import type { ClockPort } from "../core/ports.ts";
import { readQuietly } from "../core/read-quietly.ts";
import { isBeating, livingHolder, workerTitle } from "./wake.ts";

/**
 * The worker lock. Only its holder may claim events. A heartbeat, its modification time, is renewed every second,
 * and while events come in a row more often.
 * Unlike the installer's lock (src/core/process-lock.ts) it is held for long, perhaps on a home folder that
 * several machines share: a holder that hangs or runs elsewhere is known by its heartbeat alone.
 */
export interface Lock {
  /** False once another worker has taken the lock over: from then on this one must not touch the spool. */
  isHeld(): boolean;
  release(): void;
}

interface LockOptions {
  /** Times the heartbeat. */
  readonly clock: ClockPort;
  /** Process title of those that take it, a worker's by default: a living process of another name does not hold it. */
  readonly title?: string;
}

const heartbeatMs = 1_000;
/** Beside the interval, each question whether the lock is held beats: to hooks, many events since the last mean a hang. */
const busyHeartbeatMs = 50;

/**
 * Acquires the lock, from a dead holder too. Its file holds process number, a random token and the host's name. On a
 * full disk it is empty until there is room: hooks then start workers, which find the lock held and leave.
 * @returns undefined while another worker holds it
 */
export function acquire(lock: string, { clock, title = workerTitle }: LockOptions): Lock | undefined {
  const token = `${process.pid}-${Math.random().toString(36).slice(2)}`;
  const content = `${process.pid} ${token} ${hostname()}\n`;
  const temporary = `${lock}.${token}`;
  fs.writeFileSync(temporary, "", { flag: "wx", mode: 0o600 });
  try {
    fill(temporary, content);
    if (!link(temporary, lock) && !takeOver(lock, temporary, title)) return undefined;
  } finally {
    removeFile(temporary);
  }
  crashPoint("locked");
  const isHeld = holding(lock, content);
  let beatenAtMs = clock.uptimeMs();
  const beat = (): void => {
    if (!isHeld()) return;
    fill(lock, content);
    touch(lock);
    beatenAtMs = clock.uptimeMs();
  };
  const heartbeat = clock.every(heartbeatMs, beat);
  return {
    isHeld() {
      if (clock.uptimeMs() - beatenAtMs >= busyHeartbeatMs) beat();
      return isHeld();
    },
    release() {
      heartbeat.cancel();
      if (isHeld()) fs.unlinkSync(lock);
    },
  };
}

/**
 * Returns a function that says whether a lock is still the file that it is now, with nothing else in it than `content`.
 * It is asked several times for each event, and reads the file only when that has changed.
 */
function holding(lock: string, content: string): () => boolean {
  const look = () => fs.statSync(lock, { bigint: true, throwIfNoEntry: false });
  const own = look();
  let seen: string | undefined;
  return () => {
    const now = look();
    if (!own || now?.ino !== own.ino || now.dev !== own.dev) return false;
    const times = `${now.ctimeNs} ${now.mtimeNs}`; // some file systems know only one of the two
    if (times === seen) return true;
    const isOwn = ["", content].includes(readQuietly(lock) ?? "");
    seen = isOwn ? times : undefined;
    return isOwn;
  };
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
function takeOver(lock: string, temporary: string, title: string): boolean {
  const turn = `${lock}.turn`;
  if (!isStale(lock, title)) return link(temporary, lock); // it may have been released just now
  if (isStale(turn, title)) removeFile(turn); // its holder died within these few lines
  if (!link(temporary, turn)) return false;
  try {
    if (!isStale(lock, title)) return link(temporary, lock);
    // A folder in its place is somebody's: nothing is deleted.
    if (fs.lstatSync(lock).isDirectory()) fs.renameSync(lock, `${lock}-moved-${Date.now()}`);
    fs.renameSync(temporary, lock);
    return true;
  } finally {
    removeFile(turn);
  }
}

/**
 * Whether no living worker holds the lock any more. A lock that does not exist is not stale but free; a folder, a link
 * or a pipe in its place is no worker's; one that cannot be read, since another user made it, is judged by its time
 * alone.
 */
function isStale(lock: string, title: string): boolean {
  const stats = fs.lstatSync(lock, { throwIfNoEntry: false });
  if (!stats?.isFile()) return stats !== undefined;
  const [, , host] = readQuietly(lock)?.trim().split(" ") ?? [];
  return !isBeating(lock) || (host === hostname() && livingHolder(lock, title) === undefined);
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

/** Removes a file, if it is there. `rmSync` takes ten times as long when it is first called. */
function removeFile(file: string): void {
  try {
    fs.unlinkSync(file);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
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
