import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import { alertFolder } from "../../attention/alert-files.ts";
import type { ClockPort } from "../../core/ports.ts";
import type { Paths } from "../../files/paths.ts";

/** Polling interval, for folders that were recreated or are on a network: one second. */
const pollIntervalMs = 1_000;
/** Changes within this time are reported together. */
const debounceMs = 20;

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
  const refresh = (): void => {
    for (const [folder, call] of Object.entries(calls)) if (!watchers.has(folder)) follow(folder, call, watchers);
    changed.now();
    changed.journal();
  };
  // Most folders appear with the first event; their parents report them.
  const calls: Readonly<Record<string, () => void>> = {
    [dirname(paths.state)]: debounce(refresh, clock),
    [paths.state]: debounce(refresh, clock),
    [alertFolder(paths)]: debounce(changed.now, clock),
    [paths.journal]: debounce(changed.journal, clock),
  };
  refresh();
  const timer = clock.every(pollIntervalMs, refresh).ref();
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

function debounce(call: () => void, clock: ClockPort): () => void {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    const end = (): void => {
      isScheduled = false;
      call();
    };
    clock.after(debounceMs, end).ref();
  };
}
