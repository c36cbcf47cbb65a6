import { omitUndefined } from "../core/omit-undefined.ts";
import type { ClockPort, Ports } from "../core/ports.ts";
import { acquire, type Lock } from "../files/lock.ts";
import type { Paths } from "../files/paths.ts";
import { AlertKeeper, maxPerRound, roundMs } from "../follow-up/keep-alerts.ts";
import type { RunContext } from "../pipeline/context.ts";
import { rankUrgency } from "../pipeline/rank-urgency.ts";
import { waitingEntries } from "../spool/claim.ts";
import { takeLost } from "../spool/spool-state.ts";
import { evict, sweepDead, sweepLockFiles, sweepTemporary } from "../spool/sweep.ts";
import { programIdentity, wake } from "../spool/wake.ts";
import { Dispatcher } from "./dispatcher.ts";
import { openWorkerResources, type WorkerResources } from "./worker-resources.ts";

/** Options of a worker. */
export interface WorkerOptions {
  /** True if the worker must exit as soon as nothing is due. */
  readonly once?: boolean;
  /**
   * Signal that makes the worker exit at once. The worker then requeues the events that are being processed, so that
   * another worker sends them again.
   */
  readonly signal?: AbortSignal;
}

/** Polling interval for the spool and for signs that the user has reacted: half a second. */
const pollMs = 500;
/** Polling interval while an agent's dialog waits for a hook, which a key press must end. */
const keyPollMs = 100;
const housekeepingMs = 60_000;

/** Main loop of a worker, from acquiring the lock to releasing it. */
export class WorkerLoop {
  readonly wakeSignal: WakeSignal;
  readonly #paths: Paths;
  readonly #clock: ClockPort;
  readonly #options: WorkerOptions;
  readonly #resources: WorkerResources;
  readonly #dispatcher: Dispatcher;
  readonly #keeper = new AlertKeeper();
  readonly #program = programIdentity();
  #lock: Lock;
  #lastBusyAtMs: number;
  #keptAtMs: number;
  #housekeepingAtMs: number;

  constructor(paths: Paths, ports: Ports, { lock, options }: { readonly lock: Lock; readonly options: WorkerOptions }) {
    this.#paths = paths;
    this.#clock = ports.clock;
    this.wakeSignal = new WakeSignal(ports.clock);
    this.#options = options;
    this.#lock = lock;
    const { signal } = options;
    const isStopped = (): boolean => signal?.aborted === true || !this.#lock.isHeld();
    const onSettled = (): void => this.wakeSignal.notify();
    this.#resources = openWorkerResources(paths, ports, isStopped, onSettled);
    this.#dispatcher = new Dispatcher(paths.spool, this.#resources, { onSettled, isStopped, signal });
    this.#lastBusyAtMs = this.#clock.now();
    this.#keptAtMs = this.#lastBusyAtMs;
    this.#housekeepingAtMs = this.#lastBusyAtMs - housekeepingMs;
  }

  /** Processes events until nothing is left to do, the lock is lost, or the signal aborts. */
  async run(): Promise<void> {
    let isNotified = true;
    this.#dispatcher.recover();
    while (this.#lock.isHeld() && !this.#options.signal?.aborted) {
      sweepTemporary(this.#paths.spool, this.#clock.now());
      const isReplaced = programIdentity() !== this.#program;
      if (isReplaced) this.#resources.queues.recall();
      const hasStarted = !isReplaced && (await this.#dispatcher.startReady(this.#clock.now()));
      if (hasStarted || this.#dispatcher.busy) this.#lastBusyAtMs = this.#clock.now();
      this.#housekeep();
      if (this.#resources.turns.size === 0) this.#resources.recent.save();
      const context = await this.#resources.context();
      if (!isReplaced) this.#keepAlerts(context, isNotified);
      this.#keepAnswers(isReplaced, context);
      const pauseMs = this.#pauseMs(isReplaced, context);
      if (pauseMs !== undefined) isNotified = await this.wakeSignal.wait(pauseMs);
      else if (await this.#leave(isReplaced)) return;
      else isNotified = true;
    }
    if (this.#options.signal?.aborted && this.#lock.isHeld()) {
      this.#dispatcher.releaseAll();
      this.#resources.saveWaiting();
    }
  }

  /** Releases the lock if this worker still holds it. */
  end(): void {
    const { keeper } = this.#resources.answers;
    keeper?.asks.endAll("the worker ended");
    keeper?.close();
    this.#lock.release();
  }

  /** Checks the open permission requests. A worker that is about to leave ends them, so that the agents ask instead. */
  #keepAnswers(isReplaced: boolean, context: RunContext): void {
    const { keeper } = this.#resources.answers;
    keeper?.poll(context);
    if (this.#options.once || isReplaced) keeper?.asks.endAll("the worker is leaving");
  }

  /**
   * Detects the user's reactions, withdraws stale messages, then updates the file for status bars. Does so at most
   * twice a second while events are being processed or keys are awaited, because these go first, and at most every
   * three seconds if more than 40 sessions are known and nothing has notified the worker.
   */
  #keepAlerts(context: RunContext, isNotified: boolean): void {
    const isBusy = this.#dispatcher.busy;
    const isHurried = isBusy || this.#resources.answers.keeper?.isSerial;
    const isCrowded = (): boolean => !isBusy && !isNotified && context.alerts.all().length > maxPerRound;
    const ageMs = this.#clock.now() - this.#keptAtMs;
    if ((isHurried && ageMs < pollMs) || (ageMs < roundMs && isCrowded())) return;
    this.#keptAtMs = this.#clock.now();
    const onDone = (): void => this.wakeSignal.notify();
    if (!this.#options.once) {
      this.#keeper.observe(context, onDone);
      this.#keeper.askForReactions(context, onDone);
      this.#keeper.repeat(context);
    }
    this.#keeper.withdrawStale(context, onDone);
    this.#resources.saveWaiting();
  }

  /** Returns the pause before the next check of the spool, half a second at most; undefined if the worker may exit. */
  #pauseMs(isReplaced: boolean, context: RunContext): number | undefined {
    const isLeaving = this.#options.once || isReplaced;
    const [next] = isReplaced ? [] : this.#dispatcher.waiting(this.#clock.now());
    const isBusy = this.#dispatcher.busy || this.#keeper.busy || this.#resources.answers.keeper?.busy;
    if (isBusy || (!isLeaving && (next || this.#keeper.isNeeded(context)))) {
      const longestMs = this.#resources.answers.keeper?.isSerial ? keyPollMs : pollMs;
      return Math.max(0, Math.min(longestMs, (next?.dueAtMs ?? Number.POSITIVE_INFINITY) - this.#clock.now()));
    }
    const lingerMs = isLeaving ? 0 : context.config.delivery.linger;
    const leftMs = this.#lastBusyAtMs + lingerMs - this.#clock.now();
    return leftMs > 0 ? Math.min(pollMs, leftMs) : undefined;
  }

  /**
   * Releases the lock, then checks the spool a last time. Because a hook stores its event before it checks the lock,
   * this check finds every event whose hook relied on this worker.
   * @returns false if there is more to do; this worker then holds the lock again
   */
  async #leave(isReplaced: boolean): Promise<boolean> {
    const { spool, lock } = this.#paths;
    this.#resources.saveWaiting(); // the last round may have left it out
    this.#lock.release();
    sweepTemporary(spool, this.#clock.now());
    const isWaiting = isReplaced && waitingEntries(spool).length > 0;
    if (this.#dispatcher.fresh(this.#clock.now()).length === 0 && !isWaiting) return true;
    if (isReplaced) {
      await wake(this.#paths);
      return true;
    }
    const again = await acquire(lock, this.#clock);
    if (!again) return true;
    this.#lock = again;
    return false;
  }

  /**
   * Enforces the limits of spool and journal at the start and once a minute. Postpones this by up to a minute while
   * events are being processed, so that the first message is sent first.
   */
  #housekeep(): void {
    const { spool, lock } = this.#paths;
    const { journal } = this.#resources;
    const now = this.#clock.now();
    const overdueMs = now - this.#housekeepingAtMs - housekeepingMs;
    if (overdueMs < 0 || (this.#dispatcher.busy && overdueMs < housekeepingMs)) return;
    this.#housekeepingAtMs = now;
    sweepDead(spool, now);
    sweepLockFiles(lock, now);
    journal.prune();
    for (const { id, atMs } of takeLost(spool, now)) {
      const reason = `evicted: the disk was full when it arrived, at ${new Date(atMs).toISOString()}`;
      journal.write({ id, status: "expired", reason });
    }
    for (const { id, header } of evict(spool, rankUrgency)) {
      const identity = { id, ...omitUndefined({ event: header?.event, agent: header?.agent }) };
      journal.write({ ...identity, status: "expired", reason: "evicted: the spool is full" });
    }
  }
}

/** Lets one caller wait for a notification or a timeout. A notification that nothing waits for ends the next wait. */
export class WakeSignal {
  readonly #clock: ClockPort;
  #notified = new AbortController();

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  notify(): void {
    this.#notified.abort();
  }

  /**
   * Waits until the next notification, or until `ms` have passed. Does not wait if a notification came after the last
   * wait.
   * @returns true if there was a notification
   */
  async wait(ms: number): Promise<boolean> {
    const { signal } = this.#notified;
    if (!signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = this.#clock.after(ms, resolve).ref();
        signal.addEventListener("abort", () => resolve(timer.cancel()), { once: true });
      });
    }
    if (signal.aborted) this.#notified = new AbortController();
    return signal.aborted;
  }
}
