import { statSync } from "node:fs";
import type { Paths } from "../core/paths.ts";
import type { Ports } from "../core/ports.ts";
import { freshEntries, waitingEntries } from "../spool/claim.ts";
import { acquire, type Lock } from "../spool/lock.ts";
import { wake } from "../spool/wake.ts";
import type { Bell } from "./wake-signal.ts";
import { type Desk, openDesk } from "./worker-resources.ts";
import { Hands } from "./dispatcher.ts";
import { tidy, tidySeldom } from "./tidy.ts";

export interface WorkOptions {
  /** Leave as soon as nothing is due, whatever the configuration says about lingering. */
  readonly once?: boolean;
  /** Leave at once when it aborts; what is in flight goes back to the fresh ones, to be sent again. */
  readonly signal?: AbortSignal;
}

const tickMs = 1_000;
const seldomMs = 60_000;

/** A worker's time at the spool, from taking the lock to giving it up. */
export class Shift {
  readonly #paths: Paths;
  readonly #now: () => number;
  readonly #bell: Bell;
  readonly #options: WorkOptions;
  readonly #desk: Desk;
  readonly #hands: Hands;
  readonly #program = programIdentity();
  #lock: Lock;
  #busyAtMs: number;
  #tidiedAtMs = Number.NEGATIVE_INFINITY;

  constructor(paths: Paths, ports: Ports, lock: Lock, bell: Bell, options: WorkOptions) {
    this.#paths = paths;
    this.#now = ports.clock.now;
    this.#bell = bell;
    this.#options = options;
    this.#desk = openDesk(paths, ports);
    this.#hands = new Hands(paths.spool, this.#desk, this.#now, () => bell.ring(), options.signal);
    this.#lock = lock;
    this.#busyAtMs = this.#now();
  }

  /** Works until there is nothing left to stay for, or the lock is lost, or the signal says so. */
  async run(): Promise<void> {
    this.#hands.recover();
    while (this.#lock.isHeld() && !this.#options.signal?.aborted) {
      this.#tidy();
      const replaced = programIdentity() !== this.#program;
      if (!replaced && (await this.#hands.takeReady())) this.#busyAtMs = this.#now();
      if (this.#hands.busy) this.#busyAtMs = this.#now();
      else this.#desk.recent.save();
      const lingerMs = this.#options.once || replaced ? 0 : await this.#lingerMs();
      const idleMs = this.#now() - this.#busyAtMs;
      const [next] = waitingEntries(this.#paths.spool);
      const hasReason = this.#hands.busy || (next && !this.#options.once && !replaced) || idleMs < lingerMs;
      if (!hasReason && (await this.#leave(replaced))) return;
      const untilDueMs = next ? next.dueAtMs - this.#now() : tickMs;
      const untilLeavingMs = this.#hands.busy || idleMs >= lingerMs ? tickMs : lingerMs - idleMs;
      if (hasReason) await this.#bell.wait(Math.max(0, Math.min(tickMs, untilDueMs, untilLeavingMs)));
    }
    if (this.#options.signal?.aborted && this.#lock.isHeld()) this.#hands.giveBack();
  }

  end(): void {
    this.#lock.release();
  }

  /**
   * Gives up the lock and looks once more: only now can a hook know that it must start a worker, so what came before is
   * seen by this last look. False if there is a reason to go on, with the lock in hand again.
   */
  async #leave(replaced: boolean): Promise<boolean> {
    const { spool, root, worker, lock } = this.#paths;
    this.#lock.release();
    const isWaiting = replaced && waitingEntries(spool).length > 0;
    if (freshEntries(spool).length === 0 && !isWaiting) return true;
    if (replaced) {
      await wake(root, worker);
      return true;
    }
    const again = acquire(lock);
    if (again) this.#lock = again;
    return again === undefined;
  }

  #tidy(): void {
    const now = this.#now();
    tidy(this.#paths.spool, now);
    if (now - this.#tidiedAtMs < seldomMs) return;
    tidySeldom(this.#paths.spool, this.#desk.journal, now);
    this.#tidiedAtMs = now;
  }

  async #lingerMs(): Promise<number> {
    const { config } = await this.#desk.context();
    return config.delivery.lingerSeconds * 1000;
  }
}

/** Tells this build of the worker from one that an upgrade put in its place. */
function programIdentity(): string {
  const stats = statSync(process.argv[1] ?? "", { throwIfNoEntry: false });
  return `${stats?.ino} ${stats?.mtimeMs}`;
}
