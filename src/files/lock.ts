import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { readErrno, SettingsError } from "../core/errors.ts";
import type { ClockPort } from "../core/ports.ts";
import { linkFile } from "./atomic-file.ts";
import { crashPoint } from "./crash-point.ts";
import { isAwake, lockLine, readLock, readLockLine } from "./lock-line.ts";
import type { Paths } from "./paths.ts";
import { findProcess } from "./process-table.ts";

/** Lock file that one process at a time holds. */
export interface Lock {
  /**
   * Tells if this process still holds the lock. If false, another process has taken it over, and this process must no
   * longer use what the lock protects.
   */
  isHeld(): boolean;
  release(): void;
}

const heartbeatMs = 1_000;
/**
 * Time in milliseconds for which a holder that missed its promise is watched, because the machine may have slept or its
 * clock may have been set.
 */
const takeoverWatchMs = 2_500;
const takeoverPollMs = 250;
/** Longest time for taking over a lock, in milliseconds. A process that takes longer counts as dead. */
const takeoverTimeoutMs = 10_000;

/**
 * Acquires a lock, at once if it is free or its holder is gone. A holder on another host, or a running holder that
 * missed its promise, loses the lock if it does not renew the promise within 2.5 seconds. On a full disk the lock file
 * is empty until there is room.
 * @returns undefined while another process holds it
 */
export async function acquire(file: string, clock: ClockPort): Promise<Lock | undefined> {
  const temporary = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  fs.writeFileSync(temporary, "", { flag: "wx", mode: 0o600 });
  try {
    writeLine(temporary);
    if (!linkFile(temporary, file) && !(await takeOver(file, temporary, clock))) return undefined;
  } finally {
    fs.rmSync(temporary, { force: true });
  }
  crashPoint("locked");
  return holdLock(file, clock);
}

/**
 * Runs `action` under a lock.
 * @param who other possible holder of the lock, for the error's text
 * @throws {SettingsError} `settings.locked` after `waitMs`, `settings.write` if the lock cannot be created; also
 * rethrows any error of `action`
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
    const why = readErrno(error) ?? (error as Error).message;
    throw new SettingsError("settings.write", file, `cannot be written (${why})`, hint);
  }
}

function holdLock(file: string, clock: ClockPort): Lock {
  const own = identify(file);
  let isReleased = false;
  const isHeld = (): boolean => !isReleased && own !== undefined && identify(file) === own && isOwnLine(file);
  let heartbeatAtMs = Number.NEGATIVE_INFINITY;
  const writeHeartbeat = (): void => {
    if (!isHeld()) return;
    writeLine(file);
    heartbeatAtMs = clock.uptimeMs();
  };
  writeHeartbeat();
  const timer = clock.every(heartbeatMs, writeHeartbeat);
  return {
    isHeld() {
      if (clock.uptimeMs() - heartbeatAtMs >= heartbeatMs) writeHeartbeat(); // a busy process fires no timers
      return isHeld();
    },
    release() {
      timer.cancel();
      if (isHeld()) fs.unlinkSync(file);
      isReleased = true;
    },
  };
}

/** Returns a text that tells a file from another with the same name, unless the inode was reused. */
function identify(file: string): string | undefined {
  const stats = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}

/**
 * Tells if a lock's line is this process's own, or missing because the disk is full. The inode alone does not tell,
 * because inodes are reused.
 */
function isOwnLine(file: string): boolean {
  const text = readLock(file);
  return text === "" || (text?.startsWith(`${process.pid} `) === true && text.endsWith(` ${hostname()}\n`));
}

/** Renews the promise. If the disk has no room for a line, updates the file's modification time instead. */
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
    // just taken over, or not writable: other processes will find it abandoned
  }
}

/**
 * Replaces the lock of a holder that is gone or missed its promise. Only one process at a time may do so; otherwise one
 * process could remove another's new lock.
 */
async function takeOver(file: string, temporary: string, clock: ClockPort): Promise<boolean> {
  const seen = await watchUntilAbandoned(file, clock);
  const takeoverFile = `${file}.turn`;
  if (seen === undefined) return false;
  if (isAbandoned(takeoverFile)) fs.rmSync(takeoverFile, { force: true });
  if (!linkFile(temporary, takeoverFile)) return false;
  try {
    if (readVersion(file) !== seen || seen === missingVersion) return linkFile(temporary, file); // just released
    // A folder in its place may hold somebody's files, so it is renamed, not deleted.
    if (fs.lstatSync(file).isDirectory()) fs.renameSync(file, `${file}-moved-${Date.now()}`);
    fs.renameSync(temporary, file);
    return true;
  } finally {
    fs.rmSync(takeoverFile, { force: true });
  }
}

/** Resolves to the version of the lock file if its holder does not renew the promise; undefined if it does. */
async function watchUntilAbandoned(file: string, clock: ClockPort): Promise<string | undefined> {
  const seen = readVersion(file);
  if (isHolderGone(file)) return seen;
  if (isAwake(file)) return undefined;
  for (let watchedForMs = 0; watchedForMs < takeoverWatchMs; watchedForMs += takeoverPollMs) {
    await clock.wait(takeoverPollMs);
    if (readVersion(file) !== seen) return undefined;
  }
  return seen;
}

/** Tells if the process named in a lock has ended, or if the lock is not a regular file. */
function isHolderGone(file: string): boolean {
  if (fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return true;
  const { host, pid } = readLockLine(file) ?? {};
  return pid !== undefined && host === hostname() && findProcess(pid) === undefined;
}

const missingVersion = "none";

/**
 * Returns a text that changes each time the promise is renewed, even by an older beckon, which only updates the file's
 * modification time.
 */
function readVersion(file: string): string {
  const stats = fs.lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.dev} ${stats.ino} ${stats.mtimeNs} ${readLock(file) ?? ""}` : missingVersion;
}

/** Tells if the process that began to take over a lock died before it finished. */
function isAbandoned(takeoverFile: string): boolean {
  const stats = fs.lstatSync(takeoverFile, { throwIfNoEntry: false });
  return (
    stats !== undefined && (isHolderGone(takeoverFile) || Math.abs(Date.now() - stats.mtimeMs) > takeoverTimeoutMs)
  );
}

/**
 * Returns the lock of the command that reads the pressed buttons of an account in place of the worker. Receivers such as
 * chats have only one reader at a time.
 * @param account name of the account. Only its hash is stored.
 */
export function readingLock({ asks }: Pick<Paths, "asks">, account: string): string {
  return join(asks, `reading-${createHash("sha256").update(account).digest("hex").slice(0, 16)}.lock`);
}
