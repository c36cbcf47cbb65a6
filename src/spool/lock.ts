import {
  constants,
  copyFileSync,
  linkSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { errnoOf } from "../core/errors.ts";
import { fault } from "../core/fault.ts";
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
    if (!link(temporary, lock) && !(removeStale(lock, token) && link(temporary, lock))) return undefined;
  } finally {
    unlinkSync(temporary);
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
  utimesSync(lock, now, now);
}

function removeStale(lock: string, token: string): boolean {
  const seen = read(lock);
  if (seen === undefined) return true;
  const ageMs = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  const onThisHost = seen.trim().split(" ")[2] === hostname();
  if (Math.abs(ageMs) < staleAfterMs && !(onThisHost && livingWorker(lock) === undefined)) return false;
  const aside = `${lock}.stale-${token}`;
  try {
    renameSync(lock, aside);
  } catch {
    return true; // somebody else removed it; whoever links first wins
  }
  const moved = read(aside);
  if (moved !== undefined && moved !== seen) link(aside, lock); // it was a fresh one: give it back
  unlinkSync(aside);
  return moved === seen;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined; // free
  }
}
