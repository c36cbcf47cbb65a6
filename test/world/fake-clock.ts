import { setImmediate as othersRun } from "node:timers/promises";
import type { ClockPort, Timer } from "../../src/core/ports.ts";

interface Pending {
  atMs: number;
  readonly everyMs?: number;
  readonly act: () => void;
}

/** Event loop turns after each timer, for the promises and file reads that it starts. */
const turns = 20;

/** A clock that stands still until a test advances it. */
export class FakeClock implements ClockPort {
  /** Milliseconds by which the user has set the wall clock; the uptime ignores them. */
  setBackByMs = 0;
  readonly #startMs: number;
  #uptimeMs = 0;
  readonly #pending = new Set<Pending>();

  /** @param startMs Unix milliseconds; 20 November 2026, noon UTC by default */
  constructor(startMs: number = Date.parse("2026-11-20T12:00:00Z")) {
    this.#startMs = startMs;
  }

  now = (): number => this.#startMs + this.#uptimeMs - this.setBackByMs;
  uptimeMs = (): number => this.#uptimeMs;

  wait = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = (): void => {
        timer.cancel();
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = this.after(ms, end);
      signal?.addEventListener("abort", end);
    });

  after = (ms: number, act: () => void): Timer => this.#add({ atMs: this.#uptimeMs + ms, act });
  every = (ms: number, act: () => void): Timer => this.#add({ atMs: this.#uptimeMs + ms, everyMs: ms, act });

  /** Milliseconds until the next timer; undefined if none is pending. */
  get nextMs(): number | undefined {
    const [next] = this.#sorted();
    return next && next.atMs - this.#uptimeMs;
  }

  /** Advances the time, firing each timer on its way in order and letting others run after each. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#uptimeMs + ms;
    await settle();
    for (let [next] = this.#sorted(); next && next.atMs <= endMs; [next] = this.#sorted()) {
      this.#uptimeMs = Math.max(this.#uptimeMs, next.atMs);
      if (next.everyMs === undefined) this.#pending.delete(next);
      else next.atMs = this.#uptimeMs + next.everyMs;
      next.act();
      await settle();
    }
    this.#uptimeMs = endMs;
  }

  /** Jumps ahead, as after a machine's sleep: overdue timers fire at the next `advance`. */
  skip(ms: number): void {
    this.#uptimeMs += ms;
  }

  #add(pending: Pending): Timer {
    this.#pending.add(pending);
    const timer: Timer = { cancel: () => void this.#pending.delete(pending), ref: () => timer };
    return timer;
  }

  #sorted(): Pending[] {
    return [...this.#pending].sort((a, b) => a.atMs - b.atMs);
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await othersRun();
}
