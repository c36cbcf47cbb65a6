import { closeSync, lstatSync, openSync, readdirSync, unlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Paths } from "../core/paths.ts";
import { ageMsOf, readerOf, readingFor } from "./reader-of.ts";
import { isEnded } from "./sweep.ts";

/**
 * A launcher that finds a worker awake, or starts one, has no timer of its own, which would be one more process for each
 * event: if its agent does not hang up, the worker ends its reading. One that is awake says so by the time of a file,
 * which it keeps in the near future: a launcher need only compare it with its record's, and a worker that hangs soon
 * says nothing any more. Not on Windows, where there is no launcher.
 */
export interface ReaderWatch {
  /** Whether a record is being written whose end may depend on this worker. */
  isNeeded(): boolean;
  /** No launcher that comes from now on is to rely on this worker. */
  stop(): void;
}

const lookMs = 500;
/** How far ahead the file's time is: a busy worker may be late for a look or two. */
const promisedMs = 3_000;
/** How long a launcher may read; one with a timer has as long. */
const maxReadingMs = 2_000;
/** After this time a record that has no end is one of a launcher that was killed. */
const endedByMs = 2 * maxReadingMs;

/** Watches the launchers of a spool from now on. For the holder of its lock. */
export function watchReaders({ spool, watching }: WatchedPaths): ReaderWatch {
  if (process.platform === "win32") return { isNeeded: () => false, stop: () => {} };
  const look = (): void => {
    promise(watching);
    endOverdue(spool);
  };
  look();
  const timer = setInterval(look, lookMs).unref();
  return {
    isNeeded: () => unended(spool).some(({ ageMs }) => ageMs < endedByMs),
    stop() {
      clearInterval(timer);
      quietly(() => unlinkSync(watching));
    },
  };
}

type WatchedPaths = Pick<Paths, "spool" | "watching">;

/**
 * Resolves once no launcher is reading any more that relies on a worker. For one that was started and must not work: it
 * may be the only one that its launcher sees, and can be seen by, where containers share a spool.
 */
export async function outlastReaders({ spool }: Pick<Paths, "spool">): Promise<void> {
  while (unended(spool).some(({ path, ageMs }) => ageMs < endedByMs && readerOf(path) !== undefined)) {
    await sleep(lookMs);
    endOverdue(spool);
  }
}

function endOverdue(spool: string): void {
  for (const { path, ageMs } of unended(spool)) if (ageMs >= maxReadingMs) endReading(path);
}

function promise(watching: string): void {
  const until = new Date(Date.now() + promisedMs);
  quietly(() => {
    closeSync(openSync(watching, "a", 0o600));
    utimesSync(watching, until, until);
  });
}

/** The records in a spool that have no end yet; none where they cannot be read now, as without a free descriptor. */
function unended(spool: string): readonly { readonly path: string; readonly ageMs: number }[] {
  const folder = join(spool, "tmp");
  try {
    return readdirSync(folder).flatMap((file) => {
      const path = join(folder, file);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (!stats?.isFile() || file.endsWith(".settle") || isEnded(path)) return [];
      return [{ path, ageMs: ageMsOf(stats) }];
    });
  } catch {
    return []; // they are looked for again in half a second
  }
}

/** Ends the reading of a record; its launcher then stores what has come. */
function endReading(path: string): void {
  for (const pid of readingFor(path)) quietly(() => process.kill(pid, "SIGTERM"));
}

/** What fails here leaves launchers to their timers, or is tried again at the next look. */
function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // see above
  }
}
