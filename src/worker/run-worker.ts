import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import type { ClockPort, Ports } from "../core/ports.ts";
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
  const wakeSignal = new WakeSignal(ports.clock);
  const notify = (): void => wakeSignal.notify();
  const [fresh, temporary] = ["new", "tmp"].map((folder) => join(paths.spool, folder)) as [string, string];
  const watchers = [
    watchFolder(fresh, notify),
    watchFolder(temporary, (file) => (file === null || isEnded(join(temporary, file))) && notify()),
  ];
  options.signal?.addEventListener("abort", notify);
  const loop = new WorkerLoop(paths, ports, { lock, wakeSignal, options });
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

/** Lets one caller wait for a notification or a timeout. A notification that nothing waits for ends the next wait. */
export class WakeSignal {
  readonly #clock: ClockPort;
  #isNotified = false;
  #wakeUp: (() => void) | undefined;

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  notify(): void {
    this.#isNotified = true;
    this.#wakeUp?.();
  }

  /**
   * Waits until the next notification, or until `ms` have passed. Does not wait if a notification came after the last
   * wait.
   * @returns true if there was a notification
   */
  async wait(ms: number): Promise<boolean> {
    if (!this.#isNotified) {
      await new Promise<void>((resolve) => {
        const timer = this.#clock.after(ms, resolve).ref();
        this.#wakeUp = () => {
          timer.cancel();
          resolve();
        };
      });
    }
    const isNotified = this.#isNotified;
    this.#isNotified = false;
    return isNotified;
  }
}
