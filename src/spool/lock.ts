import {
  constants,
  copyFileSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { errnoOf } from "../core/errors.ts";
import { fault } from "../core/crash-point.ts";
import { livingWorker } from "./wake.ts";

/** Held by the one worker that may touch the spool; says by itself every second that its holder lives. */
export interface Lock {
  /** False once somebody else has taken the lock over: then nothing may be touched any more. */
  isHeld(): boolean;
  release(): void;
}

/** A holder on another host, or one that hangs, is given up when its heartbeat is so old. */
const staleAfterMs = 10_000;
const beatMs = 1_000;

/**
 * Takes the lock, from a dead holder too. The file holds process number, a word of our own and the host's name.
 * @returns undefined while another worker lives
 */
export function acquire(lock: string): Lock | undefined {
  const token = `${process.pid}-${Math.random().toString(36).slice(2)}`;
  const content = `${process.pid} ${token} ${hostname()}\n`;
  const temporary = `${lock}.${token}`;
  writeFileSync(temporary, content, { flag: "wx", mode: 0o600 });
  try {
    if (!link(temporary, lock) && !takeOver(lock, temporary)) return undefined;
  } finally {
    rmSync(temporary, { force: true });
  }
  fault("locked");
  const isHeld = (): boolean => read(lock) === content;
  const heartbeat = setInterval(() => isHeld() && touch(lock), beatMs).unref();
  return {
    isHeld,
    release() {
      clearInterval(heartbeat);
      if (isHeld()) unlinkSync(lock);
    },
  };
}

/**
 * Replaces a stale lock. One process at a time has the turn: else one that saw the stale lock would take away the fresh
 * one that another has just put in its place, and both would work.
 */
function takeOver(lock: string, temporary: string): boolean {
  const turn = `${lock}.turn`;
  if (!isStale(lock)) return link(temporary, lock); // it may have been given up just now
  if (isStale(turn)) rmSync(turn, { force: true }); // its holder died within these few lines
  if (!link(temporary, turn)) return false;
  try {
    if (!isStale(lock)) return link(temporary, lock);
    renameSync(temporary, lock);
    return true;
  } finally {
    rmSync(turn, { force: true });
  }
}

/** Whether nobody who lives holds it any more. One that is not there is not stale but free. */
function isStale(lock: string): boolean {
  const content = read(lock);
  const stats = statSync(lock, { throwIfNoEntry: false });
  if (content === undefined || !stats) return false;
  const [, , host] = content.trim().split(" ");
  const isBeating = Math.abs(Date.now() - stats.mtimeMs) < staleAfterMs;
  return !isBeating || (host === hostname() && livingWorker(lock) === undefined);
}

/** A link appears with its content at once; a file that is opened and then written would be seen empty in between. */
function link(from: string, to: string): boolean {
  return created(() => linkSync(from, to)) ?? created(() => copyFileSync(from, to, constants.COPYFILE_EXCL)) ?? false;
}

/** Whether this made the file: false if there was one, undefined where the file system cannot do it this way. */
function created(make: () => void): boolean | undefined {
  try {
    make();
    return true;
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    if (["EPERM", "ENOTSUP", "ENOSYS", "EINVAL"].includes(errnoOf(error) ?? "")) return undefined;
    throw error;
  }
}

function touch(lock: string): void {
  const now = new Date();
  try {
    utimesSync(lock, now, now);
  } catch {
    // taken over in this very moment, or not writable: then others will call it stale
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined; // free
  }
}
