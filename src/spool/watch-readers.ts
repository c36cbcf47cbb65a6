import { closeSync, lstatSync, openSync, readdirSync, unlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { Paths } from "../core/paths.ts";
import { readerOf } from "./reader-of.ts";
import { isEnded } from "./sweep.ts";

/**
 * A launcher that finds a worker awake has no timer of its own, which would be one more process for each event: if its
 * agent does not hang up, the worker ends its reading. That one will, it promises by the time of a file, which it keeps
 * in the near future: a launcher need only compare it with its record's, and a worker that hangs soon promises nothing.
 * On Linux alone, where it can be told whether a process has a record open.
 */
export interface ReaderWatch {
  /** Whether a record is being written whose end may depend on this worker. */
  isNeeded(): boolean;
  /** Withdraws the promise. */
  stop(): void;
}

const lookMs = 500;
/** How far ahead the promise reaches: a busy worker may be late for a look or two. */
const promisedMs = 3_000;
/** How long a launcher may read; one with a timer has as long. */
const maxReadingMs = 2_000;
/** After this time a record that has no end is one of a launcher that was killed. */
const endedByMs = 2 * maxReadingMs;

/** Watches the launchers of a spool from now on. For the holder of its lock. */
export function watchReaders({ spool, watching }: Pick<Paths, "spool" | "watching">): ReaderWatch {
  if (process.platform !== "linux") return { isNeeded: () => false, stop: () => {} };
  const folder = join(spool, "tmp");
  const look = (): void => {
    promise(watching);
    for (const { path, ageMs } of unended(folder)) if (ageMs >= maxReadingMs) endReading(path);
  };
  look();
  const timer = setInterval(look, lookMs).unref();
  return {
    isNeeded: () => unended(folder).some(({ ageMs }) => ageMs < endedByMs),
    stop() {
      clearInterval(timer);
      quietly(() => unlinkSync(watching));
    },
  };
}

function promise(watching: string): void {
  const until = new Date(Date.now() + promisedMs);
  quietly(() => {
    closeSync(openSync(watching, "a", 0o600));
    utimesSync(watching, until, until);
  });
}

/** The records in a folder that have no end yet. Their age is in milliseconds, whichever way the clock was set. */
function unended(folder: string): { readonly path: string; readonly ageMs: number }[] {
  return readdirSync(folder).flatMap((file) => {
    const path = join(folder, file);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats?.isFile() || file.endsWith(".settle") || isEnded(path)) return [];
    return [{ path, ageMs: Math.abs(Date.now() - stats.birthtimeMs) }];
  });
}

/** Asks the launcher that is writing a record to end; it then stores what has come. */
function endReading(path: string): void {
  const reader = readerOf(path);
  if (reader !== undefined) quietly(() => process.kill(reader, "SIGTERM"));
}

/** What fails here leaves launchers to their timers, or is tried again at the next look. */
function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // see above
  }
}
