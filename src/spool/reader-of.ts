import { readdirSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { childrenOf, findProcess, hasProc } from "../core/process-table.ts";
import { readRecordFile } from "./list.ts";
import { launcherBytes, launcherOf } from "./record.ts";

/**
 * The process number of the launcher that is writing a record and leaves it to a worker to end its reading. Undefined
 * where there is none: it has a timer, or was killed, or nothing can be told of it.
 */
export function readerOf(path: string): number | undefined {
  const launcher = launcherOf(readRecordFile(path, launcherBytes) ?? Buffer.alloc(0));
  return launcher !== undefined && isWriting(launcher, path) ? launcher : undefined;
}

/**
 * The processes to end for the reading of a record to be over: what its launcher has started to write it, during which
 * the launcher itself may hear no signal; where the system does not tell, the launcher.
 */
export function readingFor(path: string): readonly number[] {
  const launcher = readerOf(path);
  if (launcher === undefined) return [];
  if (!hasProc()) return [launcher];
  return childrenOf(launcher).flatMap(({ pid }) => (hasOpen(pid, path) ? [pid] : []));
}

/** A record that is older than this proves nothing by a number alone, which may be another process' by now. */
const maxUnprovenAgeMs = 10_000;

/**
 * Whether a process is writing a file. Where there is no `/proc`, as on macOS, it counts as doing so if it runs, and the
 * file is this user's and young; there are no containers there whose numbers would mean others.
 */
function isWriting(pid: number, path: string): boolean {
  if (hasProc()) return hasOpen(pid, path);
  const stats = statSync(path, { throwIfNoEntry: false });
  const isYoung = stats !== undefined && ageMsOf(stats) < maxUnprovenAgeMs;
  return isYoung && stats.uid === process.getuid?.() && findProcess(pid) !== undefined;
}

/**
 * How long ago a file was created, in milliseconds, whichever way the clock was set since; where the file system does
 * not know (NFS, FUSE), how long ago it was last written to.
 */
export function ageMsOf({ birthtimeMs, mtimeMs }: Pick<Stats, "birthtimeMs" | "mtimeMs">): number {
  return Math.abs(Date.now() - (birthtimeMs > 0 ? birthtimeMs : mtimeMs));
}

/** Whether a process of this user's has a file open. proc(5), `/proc/PID/fd` */
function hasOpen(pid: number, path: string): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    const file = statSync(path);
    const isIt = (descriptor: string) => {
      const stats = statSync(join(folder, descriptor), { throwIfNoEntry: false });
      return stats?.ino === file.ino && stats.dev === file.dev;
    };
    return readdirSync(folder).some(isIt);
  } catch {
    return false; // it has ended, or is another user's
  }
}
