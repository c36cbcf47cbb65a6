import * as fs from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { errnoOf, SettingsError } from "../core/errors.ts";
import type { ClockPort } from "../core/ports.ts";
import { linkFile } from "./atomic-file.ts";
import { crashPoint } from "./crash-point.ts";
import { isAwake, lockLine, readLockLine } from "./lock-line.ts";
import { findProcess } from "./process-table.ts";
import { readQuietly } from "./read-file.ts";

/** A file that one process at a time holds. */
export interface Lock {
  /** False once another process has taken it over: this one must then leave alone what the lock is for. */
  isHeld(): boolean;
  release(): void;
}

const beatMs = 1_000;
/** Time for which a holder with a broken promise is watched: the machine may have slept, or its clock was set. */
const watchedMs = 2_500;
const lookMs = 250;
/** Taking a lock over takes a moment: whoever is at it for longer has died. */
const turnKeptMs = 10_000;

/**
 * Acquires a lock: at once if it is free or its holder is gone; if its holder is on another host, or runs but is late
 * with its promise, after it has not stirred for two beats more. On a full disk the file is empty until there is room.
 * @returns undefined while another process holds it
 */
export async function acquire(file: string, clock: ClockPort): Promise<Lock | undefined> {
  const temporary = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  fs.writeFileSync(temporary, "", { flag: "wx", mode: 0o600 });
  try {
    writeLine(temporary);
    if (!linkFile(temporary, file) && !(await takeOver(file, temporary, clock))) return undefined;
  } finally {
    removeFile(temporary);
  }
  crashPoint("locked");
  return hold(file, clock);
}

/**
 * Runs `action` while no other process runs one under the same lock.
 * @param who who else may hold it, for people
 * @throws {SettingsError} `settings.locked` after `waitMs`, `settings.write` if there can be no lock; whatever `action`
 * throws
 */
export async function withLock<T>(
  file: string,
  { clock, waitMs, who = "another installer" }: { clock: ClockPort; waitMs: number; who?: string },
  action: () => Promise<T>,
): Promise<T> {
  const deadlineMs = clock.uptimeMs() + waitMs;
  let lock = await acquireOrRefuse(file, clock);
  for (; !lock; lock = await acquireOrRefuse(file, clock)) {
    if (clock.uptimeMs() > deadlineMs) {
      const hint = `Wait for it to end. If none is running, delete ${file}. Nothing was changed.`;
      throw new SettingsError("settings.locked", file, `${who} is running`, hint);
    }
    await clock.wait(20 + Math.random() * 30);
  }
  try {
    return await action();
  } finally {
    lock.release();
  }
}

async function acquireOrRefuse(file: string, clock: ClockPort): Promise<Lock | undefined> {
  try {
    fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return await acquire(file, clock);
  } catch (error) {
    const hint = "Make room there, or make its folder writable, then run this again. Nothing was changed.";
    const why = errnoOf(error) ?? (error as Error).message;
    throw new SettingsError("settings.write", file, `cannot be written (${why})`, hint);
  }
}

function hold(file: string, clock: ClockPort): Lock {
  const own = identify(file);
  let isReleased = false;
  const isHeld = (): boolean => !isReleased && own !== undefined && identify(file) === own && isOwnLine(file);
  let beatenAtMs = Number.NEGATIVE_INFINITY;
  const beat = (): void => {
    if (!isHeld()) return;
    writeLine(file);
    beatenAtMs = clock.uptimeMs();
  };
  beat();
  const timer = clock.every(beatMs, beat);
  return {
    isHeld() {
      if (clock.uptimeMs() - beatenAtMs >= beatMs) beat(); // whoever works without a pause hears no timer
      return isHeld();
    },
    release() {
      timer.cancel();
      if (isHeld()) fs.unlinkSync(file);
      isReleased = true;
    },
  };
}

/** Tells a file from another that has its name. */
function identify(file: string): string | undefined {
  const stats = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}

/** An inode may be used again: the line must be this process', or missing for want of room. */
function isOwnLine(file: string): boolean {
  const text = readQuietly(file);
  return text === "" || (text?.startsWith(`${process.pid} `) === true && text.endsWith(` ${hostname()}\n`));
}

/** Renews the promise. If there is no room for a line, the file's time has to do. */
function writeLine(file: string): void {
  try {
    const descriptor = fs.openSync(file, "r+");
    try {
      fs.writeSync(descriptor, lockLine(process.pid), 0);
    } catch {
      const now = new Date();
      fs.futimesSync(descriptor, now, now);
    } finally {
      fs.closeSync(descriptor);
    }
  } catch {
    // taken over at this moment, or not writable: others will find it abandoned
  }
}

/** Replaces the lock of a holder that is gone or late. One process at a time: of two, one would remove the other's. */
async function takeOver(file: string, temporary: string, clock: ClockPort): Promise<boolean> {
  const seen = await watchUntilAbandoned(file, clock);
  const turn = `${file}.turn`;
  if (seen === undefined) return false;
  if (isLeft(turn)) removeFile(turn);
  if (!linkFile(temporary, turn)) return false;
  try {
    if (readVersion(file) !== seen || seen === missing) return linkFile(temporary, file); // released just now
    // A folder in its place is somebody's: nothing is deleted.
    if (fs.lstatSync(file).isDirectory()) fs.renameSync(file, `${file}-moved-${Date.now()}`);
    fs.renameSync(temporary, file);
    return true;
  } finally {
    removeFile(turn);
  }
}

/** Resolves to the version of the lock that nobody stands behind; undefined once somebody does. */
async function watchUntilAbandoned(file: string, clock: ClockPort): Promise<string | undefined> {
  const seen = readVersion(file);
  if (isGone(file)) return seen;
  if (isAwake(file)) return undefined;
  for (let watched = 0; watched < watchedMs; watched += lookMs) {
    await clock.wait(lookMs);
    if (readVersion(file) !== seen) return undefined;
  }
  return seen;
}

/** Returns true if the process that a lock names has ended, or if the lock is no file. */
function isGone(file: string): boolean {
  if (fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return true;
  const { host, pid } = readLockLine(file) ?? {};
  return pid !== undefined && host === hostname() && findProcess(pid) === undefined;
}

const missing = "none";

/** Returns a text that changes with each beat, even of an older beckon, which only touches the file. */
function readVersion(file: string): string {
  const stats = fs.lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.dev} ${stats.ino} ${stats.mtimeNs} ${readQuietly(file) ?? ""}` : missing;
}

/** Returns true if the process that began to take a lock over died before it was done. */
function isLeft(turn: string): boolean {
  const stats = fs.lstatSync(turn, { throwIfNoEntry: false });
  return stats !== undefined && (isGone(turn) || Math.abs(Date.now() - stats.mtimeMs) > turnKeptMs);
}

/** Removes a file, if it is there. `rmSync` takes ten times as long when it is first called. */
function removeFile(file: string): void {
  try {
    fs.unlinkSync(file);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}
