import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readRecordFile } from "./list.ts";
import { launcherBytes, launcherOf } from "./record.ts";

/**
 * The process number of the launcher that is writing a record and leaves it to a worker to end its reading. Undefined
 * where there is none: it has a timer, or was killed, or nothing can be told of it.
 */
export function readerOf(path: string): number | undefined {
  const launcher = launcherOf(readRecordFile(path, launcherBytes) ?? Buffer.alloc(0));
  // Its number alone proves nothing: it may be one of another container's, or another process' by now.
  return launcher !== undefined && hasOpen(launcher, path) ? launcher : undefined;
}

/** Whether a process of this user's has a file open; false where there is no `/proc`. proc(5), `/proc/PID/fd` */
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
