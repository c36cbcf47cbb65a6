import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import { alertFolder } from "../../attention/alert-files.ts";
import type { ClockPort } from "../../core/ports.ts";
import type { Paths } from "../../files/paths.ts";

/** Looked at even if no folder says that it changed: one was made anew, or is on a network. A second. */
const lookEveryMs = 1_000;
/** Changes that come together are one. */
const gatherMs = 20;

/** What may have changed. */
export interface Changes {
  /** Who waits, or what is snoozed. */
  readonly now: () => void;
  /** The journal. */
  readonly journal: () => void;
}

/** Calls back soon after the files that a board shows have changed, and once a second. Returns how to end it. */
export function watchFiles(paths: Pick<Paths, "state" | "journal">, changed: Changes, clock: ClockPort): () => void {
  const watchers = new Map<string, FSWatcher>();
  const look = (): void => {
    for (const [folder, call] of Object.entries(calls)) if (!watchers.has(folder)) follow(folder, call, watchers);
    changed.now();
    changed.journal();
  };
  // Before the first event most folders are not there: those around them say when they are.
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
    // not there yet, or the system has no more watches: looked at once a second
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
