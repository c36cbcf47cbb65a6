import { type FSWatcher, rmSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import type { Paths } from "../core/paths.ts";
import type { Ports } from "../core/ports.ts";
import { freshEntries, waitingEntries } from "../spool/claim.ts";
import { acquire, type Lock } from "../spool/lock.ts";
import { wake } from "../spool/wake.ts";
import { Bell } from "./bell.ts";
import { openDesk } from "./desk.ts";
import { Hands } from "./hands.ts";
import { tidy, tidySeldom } from "./tidy.ts";

export interface WorkOptions {
  /** Leave as soon as nothing is due, whatever the configuration says about lingering. */
  readonly once?: boolean;
  /** Leave at once when it aborts; what is in flight goes back to the fresh ones, to be sent again. */
  readonly signal?: AbortSignal;
}

const tickMs = 1_000;
const seldomMs = 60_000;

/**
 * Drains the spool for as long as there is something to do: delivers what is due, stays while something waits for its
 * next attempt, lingers a little after the last event, leaves.
 * @returns false if another worker holds the spool
 */
export async function work(paths: Paths, ports: Ports, { once = false, signal }: WorkOptions = {}): Promise<boolean> {
  const lock = acquire(paths.lock);
  // From here on the lock says that we are here; before this line the mark of our start did.
  if (!once) rmSync(paths.starting, { force: true });
  if (!lock) return false;
  const bell = new Bell();
  const watcher = watchFolder(join(paths.spool, "new"), () => bell.ring());
  try {
    await drain(paths, ports, lock, bell, once, signal);
    return true;
  } finally {
    watcher?.close();
    lock.release();
  }
}

async function drain(
  paths: Paths,
  ports: Ports,
  lock: Lock,
  bell: Bell,
  once: boolean,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { now } = ports.clock;
  const desk = openDesk(paths, ports);
  const hands = new Hands(paths.spool, desk, now, () => bell.ring(), signal);
  signal?.addEventListener("abort", () => bell.ring(), { once: true });
  const program = programIdentity();
  let held = lock;
  let busyAtMs = now();
  let tidiedAtMs = Number.NEGATIVE_INFINITY;
  hands.recover();
  while (held.isHeld() && !signal?.aborted) {
    if (now() - tidiedAtMs >= seldomMs) {
      tidySeldom(paths.spool, desk.journal, now());
      tidiedAtMs = now();
    }
    tidy(paths.spool, now());
    const replaced = programIdentity() !== program;
    if (!replaced && (await hands.takeReady())) busyAtMs = now();
    if (hands.busy) busyAtMs = now();
    else desk.recent.save();
    const { config } = await desk.context();
    const lingerMs = once || replaced ? 0 : config.delivery.lingerSeconds * 1000;
    const [nextDue] = waitingEntries(paths.spool);
    const mayLeave = !hands.busy && (once || replaced || !nextDue) && now() - busyAtMs >= lingerMs;
    if (mayLeave) {
      held.release();
      // Only now can a launcher know that it must start a worker; what came before is seen by this last look.
      const more = freshEntries(paths.spool).length > 0 || (replaced && nextDue !== undefined);
      if (!more) return;
      if (replaced) return wake(paths.root, paths.worker);
      const again = acquire(paths.lock);
      if (!again) return;
      held = again;
      continue;
    }
    const untilDueMs = nextDue ? nextDue.dueAtMs - now() : tickMs;
    await bell.wait(Math.max(0, Math.min(tickMs, untilDueMs, hands.busy ? tickMs : lingerMs - (now() - busyAtMs))));
  }
  if (!signal?.aborted || !held.isHeld()) return;
  hands.giveBack();
  held.release();
}

/** Rings at once when something comes; without it (no watches left on this machine) a look every second has to do. */
function watchFolder(folder: string, ring: () => void): FSWatcher | undefined {
  try {
    return watch(folder, ring).on("error", () => {}); // likewise
  } catch {
    return undefined;
  }
}

/** Tells this build of the worker from one that an upgrade put in its place. */
function programIdentity(): string {
  const stats = statSync(process.argv[1] ?? "", { throwIfNoEntry: false });
  return `${stats?.ino} ${stats?.mtimeMs}`;
}
