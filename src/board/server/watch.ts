import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import { alertFolder } from "../../attention/alert-files.ts";
import type { ClockPort } from "../../core/ports.ts";
import type { Paths } from "../../files/paths.ts";

/** Polling interval, for folders that were recreated or are on a network: one second. */
const lookEveryMs = 1_000;
/** Changes within this time are reported together. */
const gatherMs = 20;

/** Callbacks for changes. */
export interface Changes {
  /** Called when waiting sessions or snoozes may have changed. */
  readonly now: () => void;
  /** Called when the journal may have changed. */
  readonly journal: () => void;
}

/**
 * Calls back soon after files shown on a board have changed, and once a second. Returns a function that stops watching.
 */
export function watchFiles(paths: Pick<Paths, "state" | "journal">, changed: Changes, clock: ClockPort): () => void {
  const watchers = new Map<string, FSWatcher>();
  const look = (): void => {
    for (const [folder, call] of Object.entries(calls)) if (!watchers.has(folder)) follow(folder, call, watchers);
    changed.now();
    changed.journal();
  };
  // Most folders appear with the first event; their parents report them.
  const calls: Readonly<Record<string, () => void>> = {
    [dirname(paths.state)]: gather(look, clock),
    [paths.state]: gather(look, clock),
    [alertFolder(paths)]: gather(changed.now, clock),
    [paths.journal]: gather(changed.journal, clock),
  };
  look();
  const timer = clock.every(lookEveryMs, look).ref();
  return () => {
    timer.cancel();
    for (const watcher of watchers.values()) watcher.close();
  };
}

function follow(folder: string, call: () => void, watchers: Map<string, FSWatcher>): void {
  try {
    const watcher = watch(folder, { persistent: false }, call);
    watchers.set(folder, watcher);
    const forget = (): void => {
      watcher.close();
      watchers.delete(folder);
    };
    watcher.on("error", forget);
  } catch {
    // missing, or no watches left: polled once a second
  }
}

function gather(call: () => void, clock: ClockPort): () => void {
  let isAwaited = false;
  return () => {
    if (isAwaited) return;
    isAwaited = true;
    const end = (): void => {
      isAwaited = false;
      call();
    };
    clock.after(gatherMs, end).ref();
  };
}
