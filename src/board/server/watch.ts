import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import { alertFolder } from "../../attention/alert-files.ts";
import type { ClockPort } from "../../core/ports.ts";
import type { Paths } from "../../files/paths.ts";

/** Polling interval, milliseconds. Watching misses changes in recreated folders and on network drives. */
const pollIntervalMs = 1_000;
/** Time within which changes are reported together, milliseconds. */
const debounceMs = 20;

/** Callbacks for file changes. */
export interface Changes {
  /** Called when waiting sessions or snoozes may have changed. */
  readonly now: () => void;
  /** Called when the journal may have changed. */
  readonly journal: () => void;
}

/**
 * Watches the files that a board shows. Reports changes soon after they happen, and also calls back once a second.
 * @returns a function that stops watching
 */
export function watchFiles(paths: Pick<Paths, "state" | "journal">, changed: Changes, clock: ClockPort): () => void {
  const watchers = new Map<string, FSWatcher>();
  const refresh = (): void => {
    for (const [folder, call] of Object.entries(calls)) if (!watchers.has(folder)) follow(folder, call, watchers);
    changed.now();
    changed.journal();
  };
  // Most folders are created with the first event. Watching their parent folders reports that.
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
    // The folder is missing or the system has no watches left. The poll still runs once a second.
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
