import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import type { Ports } from "../core/ports.ts";
import { quietly } from "../core/quietly.ts";
import { acquire } from "../files/lock.ts";
import type { Paths } from "../files/paths.ts";
import { isEnded } from "../spool/sweep.ts";
import { removeMark, workerTitle } from "../spool/wake.ts";
import { WorkerLoop, type WorkerOptions } from "./worker-loop.ts";

/**
 * Runs a worker in this process until there is nothing left to do. The worker delivers due events, stays as long as
 * events wait for an attempt, and lingers for a while after the last event.
 * @returns false if another worker holds the lock
 */
export async function runWorker(paths: Paths, ports: Ports, options: WorkerOptions = {}): Promise<boolean> {
  process.title = workerTitle;
  const lock = await acquire(paths.lock, ports.clock);
  // From now on, the lock shows hooks that a worker is running.
  if (!options.once) removeMark(paths);
  if (!lock) return false;
  const loop = new WorkerLoop(paths, ports, { lock, options });
  const notify = (): void => loop.wakeSignal.notify();
  const [fresh, temporary] = ["new", "tmp"].map((folder) => join(paths.spool, folder)) as [string, string];
  const watchers = [
    watchFolder(fresh, notify),
    watchFolder(temporary, (file) => (file === null || isEnded(join(temporary, file))) && notify()),
  ];
  options.signal?.addEventListener("abort", notify);
  try {
    await loop.run();
    return true;
  } finally {
    options.signal?.removeEventListener("abort", notify);
    for (const watcher of watchers) watcher?.close();
    loop.end();
  }
}

/**
 * Watches a folder and calls `notify` with the name of each new or changed file, or with `null` if the system does not
 * report the name. Returns undefined if the system allows no more watches; the worker then only polls.
 */
function watchFolder(folder: string, notify: (file: string | null) => void): FSWatcher | undefined {
  return quietly(() => watch(folder, (_, file) => notify(file)).on("error", () => {})); // likewise
}
