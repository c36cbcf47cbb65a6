import { setImmediate as afterIo } from "node:timers/promises";
import { errnoOf } from "../core/errors.ts";
import type { ClockPort } from "../core/ports.ts";
import type { RunContext } from "../pipeline/context.ts";
import { run } from "../pipeline/run.ts";
import * as claims from "../spool/claim.ts";
import { type Entry, isDue } from "../spool/entry.ts";
import { settle } from "../spool/settle.ts";
import { CrashRetries, type CrashRetryHost } from "./crash-retries.ts";
import { hastenSilenced } from "./silenced.ts";
import { makeDue } from "./waiting-deliveries.ts";
import type { WorkerResources } from "./worker-resources.ts";

/** Most events that are judged at the same time. */
const maxJudging = 8;
/** How long an event is left alone whose file cannot even be moved. */
const unclaimableMs = 60_000;

interface InFlight {
  readonly claimed: claims.Claim;
  /** Resolves to whether the event is in the spool still. */
  readonly settled: Promise<boolean>;
}

/** What a dispatcher is told by, and tells, its worker. */
export interface DispatcherOptions {
  /** Called when the spool is worth a look: an event is settled that waits for a retry, or was the last; one is due early. */
  readonly onSettled: () => void;
  /** Whether this worker must not touch the spool any more. */
  readonly isStopped: () => boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Claims events from the spool, runs each through the pipeline and settles it. */
export class Dispatcher {
  readonly #spool: string;
  readonly #resources: WorkerResources;
  readonly #options: DispatcherOptions;
  readonly #inFlight = new Set<InFlight>();
  /** Until when events are left alone, by id. */
  readonly #unclaimable = new Map<string, number>();
  readonly #aborted: Promise<void>;
  readonly #clock: ClockPort;
  readonly #crashRetries: CrashRetries;
  #silencesVersion = "unknown";

  constructor(spool: string, resources: WorkerResources, options: DispatcherOptions) {
    this.#spool = spool;
    this.#resources = resources;
    this.#clock = resources.clock;
    this.#options = options;
    const { signal } = options;
    this.#aborted = new Promise((resolve) => {
      if (signal?.aborted) resolve();
      signal?.addEventListener("abort", () => resolve(), { once: true });
    });
    const host: CrashRetryHost = {
      start: (entry) => this.#start(entry),
      isBusy: () => [...this.#inFlight].some(({ claimed }) => claimed.crashes === 0),
      aborted: this.#aborted,
      onDone: options.onSettled,
    };
    this.#crashRetries = new CrashRetries(host, this.#clock, signal);
    resources.backlog.subscribe((id) => {
      if (options.isStopped()) return;
      makeDue(spool, id, this.#clock.now());
      options.onSettled();
    });
  }

  /** Whether any event is in flight. */
  get busy(): boolean {
    return this.#inFlight.size > 0 || this.#crashRetries.busy;
  }

  /** Requeues what a dead worker had claimed, or marks it dead if too many workers died over it. */
  recover(): void {
    for (const id of claims.recover(this.#spool)) this.#journalDead(id, "three workers died over it");
  }

  /** Events in `new/` that can be claimed, in order of arrival. */
  fresh(nowMs: number): readonly Entry[] {
    return claims.freshEntries(this.#spool).filter((entry) => this.#isClaimable(entry, nowMs));
  }

  /** Events that wait for their next attempt and can be claimed, soonest first. */
  waiting(nowMs: number): ReturnType<typeof claims.waitingEntries> {
    return claims.waitingEntries(this.#spool).filter((entry) => this.#isClaimable(entry, nowMs));
  }

  /**
   * Starts every event that is fresh or due, in order of arrival.
   * @returns whether there was any
   */
  async startReady(nowMs: number): Promise<boolean> {
    this.#noticeSilences(nowMs);
    const due = this.waiting(nowMs).filter(({ dueAtMs }) => isDue(dueAtMs, nowMs));
    const ready = [...this.fresh(nowMs), ...due];
    this.#crashRetries.begin(ready.filter(({ crashes }) => crashes > 0));
    for (const entry of ready.filter(({ crashes }) => crashes === 0)) {
      const { turns } = this.#resources;
      while (turns.size >= maxJudging && !this.#options.signal?.aborted) {
        await Promise.race([turns.nextOver(), this.#aborted]);
      }
      await this.#start(entry);
      await afterIo(); // a thousand events in a row would keep every request from its answer until its time is up
    }
    return ready.length > 0;
  }

  /** Returns what is in flight to the fresh events. What still comes of it is not recorded. */
  releaseAll(): void {
    for (const { claimed } of this.#inFlight) claims.release(this.#spool, claimed);
  }

  /** What waits for the end of a silence does not wait for one that the person has ended. */
  #noticeSilences(nowMs: number): void {
    const version = this.#resources.silencesVersion();
    if (version === this.#silencesVersion) return;
    this.#silencesVersion = version;
    hastenSilenced(this.#spool, nowMs);
  }

  /** Claims an event and runs it; undefined if it could not be claimed. */
  async #start(entry: Entry): Promise<InFlight | undefined> {
    const context = await this.#resources.context();
    const claimed = this.#options.isStopped() ? undefined : this.#claim(entry);
    if (!claimed) return undefined;
    const one = { claimed, settled: this.#run(claimed, context) };
    this.#inFlight.add(one);
    void one.settled.then((isWorthALook) => {
      this.#inFlight.delete(one);
      if (isWorthALook || this.#inFlight.size === 0) this.#options.onSettled();
    });
    return one;
  }

  /** Runs an event and settles it. Resolves to whether it is in the spool still. Never throws. */
  async #run(claimed: claims.Claim, context: RunContext): Promise<boolean> {
    try {
      const version = this.#silencesVersion;
      const settlement = await run(claimed, context);
      const mayBeDue = version !== this.#silencesVersion || this.#resources.backlog.hasReleased(claimed.id);
      const isOutdated = settlement.next === "wait" && mayBeDue;
      const current = isOutdated ? { ...settlement, dueAtMs: this.#clock.now() } : settlement;
      if (!this.#options.isStopped()) settle(this.#spool, claimed, current);
      return settlement.next === "wait";
    } catch {
      // A full disk, or a bug: nothing that the pipeline handles. Counted as a crash, so that it ends.
      if (!this.#options.isStopped()) this.#requeue(claimed, "it could not be run");
      return true;
    }
  }

  #claim(entry: Entry): claims.Claim | undefined {
    try {
      return claims.claim(this.#spool, entry);
    } catch (error) {
      this.#leaveAlone(entry, errnoOf(error) ?? "unknown");
      return undefined;
    }
  }

  /** Keeps a file that cannot be read or moved from stopping the others. */
  #leaveAlone({ id, crashes }: Entry, code: string): void {
    try {
      this.#requeue({ id, crashes }, `its file cannot be read (${code})`);
    } catch {
      const reason = `its file in the spool cannot be claimed (${code}); it is tried again in a minute`;
      if (!this.#unclaimable.has(id)) this.#resources.journal.write({ id, status: "retrying", reason });
      this.#unclaimable.set(id, this.#clock.now() + unclaimableMs);
    }
  }

  #isClaimable({ id }: Entry, nowMs: number): boolean {
    return isDue(this.#unclaimable.get(id) ?? 0, nowMs);
  }

  /** Returns a claimed event to the queue with one crash more, or makes it a dead letter. */
  #requeue(claimed: Pick<claims.Claim, "id" | "crashes">, why: string): void {
    if (claims.requeueAfterCrash(this.#spool, claimed) === "dead") this.#journalDead(claimed.id, `${why}, three times`);
  }

  #journalDead(id: string, why: string): void {
    this.#resources.journal.write({ id, status: "failed", reason: `bug: ${why}; \`beckon retry\` tries again` });
  }
}
