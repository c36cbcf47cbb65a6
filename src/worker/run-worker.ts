import { type FSWatcher, rmSync, watch } from "node:fs";
import { join } from "node:path";
import type { Paths } from "../core/paths.ts";
import type { Ports } from "../core/ports.ts";
import { acquire } from "../spool/lock.ts";
import { workerTitle } from "../spool/wake.ts";
import { Bell } from "./wake-signal.ts";
import { Shift, type WorkOptions } from "./worker-loop.ts";

/**
 * Drains the spool for as long as there is something to do: delivers what is due, stays while something waits for its
 * next attempt, lingers a little after the last event, leaves.
 * @returns false if another worker holds the spool
 */
export async function work(paths: Paths, ports: Ports, options: WorkOptions = {}): Promise<boolean> {
  // Hooks ask for this name before they trust a lock: it must be there before the lock is.
  process.title = workerTitle;
  const lock = acquire(paths.lock);
  // From here on the lock says that we are here; before this line the mark of our start did.
  if (!options.once) rmSync(paths.starting, { force: true });
  if (!lock) return false;
  const bell = new Bell();
  const ring = (): void => bell.ring();
  const watcher = watchFolder(join(paths.spool, "new"), ring);
  options.signal?.addEventListener("abort", ring);
  const shift = new Shift(paths, ports, lock, bell, options);
  try {
    await shift.run();
    return true;
  } finally {
    options.signal?.removeEventListener("abort", ring);
    watcher?.close();
    shift.end();
  }
}

/** Rings at once when something comes; without it (no watches left on this machine) a look every second has to do. */
function watchFolder(folder: string, ring: () => void): FSWatcher | undefined {
  try {
    return watch(folder, ring).on("error", () => {}); // likewise
  } catch {
    return undefined;
  }
}
