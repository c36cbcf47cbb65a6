import { join } from "node:path";
import type { ClockPort } from "../core/ports.ts";
import { replaceQuietly } from "../files/atomic-file.ts";
import type { Paths } from "../files/paths.ts";
import type { Journal } from "../journal/journal.ts";
import { sweepDead } from "../spool/sweep.ts";

/** Maximum number of rejected envelopes per machine and minute that are journalled and kept. */
export const rejectedPerMinute = 10;
/** Maximum size kept of a rejected envelope, bytes. */
export const maxRejectedBytes = 64 * 1024;
const windowMs = 60_000;
/** Maximum number of machines with a separate count. Further machines share one count. */
const maxHosts = 10_000;

/** A malformed envelope. */
interface Rejected {
  readonly id: string;
  readonly host: string;
  readonly reason: string;
  /** The envelope's text, unchanged. */
  readonly text: string;
}

/** Journals and keeps malformed envelopes from other machines. Each machine has a budget per minute. */
export class Rejections {
  readonly #clock: ClockPort;
  readonly #paths: Pick<Paths, "spool">;
  readonly #windows = new Map<string, { readonly startedAtMs: number; count: number }>();

  constructor(paths: Pick<Paths, "spool">, clock: ClockPort) {
    this.#paths = paths;
    this.#clock = clock;
  }

  /**
   * Journals a rejected envelope and keeps its first 64 KiB in `dead/`. Once the machine's budget is used up, journals
   * one more envelope and only counts the others.
   * @returns false if the machine's budget for this minute is used up
   */
  note({ id, host, reason, text }: Rejected, journal: Journal): boolean {
    this.flush(journal);
    const window = this.#windowFor(host);
    window.count += 1;
    const excess = window.count - rejectedPerMinute;
    const journalled = excess <= 0 ? reason : `${reason}; more than ${rejectedPerMinute} a minute are only counted`;
    if (excess <= 1) journal.write({ id, host, status: "rejected", reason: journalled });
    if (excess > 0) return false;
    const { spool } = this.#paths;
    const kept = Buffer.from(text).subarray(0, maxRejectedBytes);
    if (replaceQuietly(join(spool, "dead", `${id}.json`), kept.toString())) sweepDead(spool, this.#clock.now());
    return true;
  }

  /**
   * Journals for each machine, one minute after its first rejection, the number of envelopes that were only counted.
   */
  flush(journal: Journal): void {
    const now = this.#clock.uptimeMs();
    for (const [host, { startedAtMs, count }] of this.#windows) {
      if (now - startedAtMs < windowMs) continue;
      this.#windows.delete(host);
      const more = count - rejectedPerMinute - 1;
      if (more > 0) {
        const reason = `${more} more could not be read within a minute`;
        journal.write({ id: `rejected-${host}`.slice(0, 64), host, status: "rejected", reason });
      }
    }
  }

  #windowFor(host: string) {
    const key = this.#windows.has(host) || this.#windows.size < maxHosts ? host : "others";
    const window = this.#windows.get(key) ?? { startedAtMs: this.#clock.uptimeMs(), count: 0 };
    this.#windows.set(key, window);
    return window;
  }
}
