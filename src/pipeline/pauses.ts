import * as z from "zod";
import type { ConfiguredNotifier } from "../config/config.ts";
import { fingerprint, readStateFile, writeStateFile } from "../files/state-file.ts";
import { isDue } from "../spool/entry.ts";

type Configured = Pick<ConfiguredNotifier, "name" | "settings">;

/**
 * Pauses of notifiers, because a receiver asked for one or an attempt failed slowly. They are stored in a file, so they
 * outlast the worker. A change of the notifier's settings ends its pause, because the new settings may name another
 * receiver.
 */
export class Pauses {
  readonly #file: string;
  readonly #untilMs: Map<string, number>;

  constructor(file: string) {
    this.#file = file;
    this.#untilMs = new Map(Object.entries(readStateFile(file, () => z.record(z.string(), z.number()), {})));
  }

  /** Returns the end of a notifier's pause, Unix milliseconds; 0 if it is not paused. */
  untilMs(notifier: Configured): number {
    return this.#untilMs.get(buildKey(notifier)) ?? 0;
  }

  /** Pauses a notifier until `untilMs`, unless it is already paused for longer. */
  pause(notifier: Configured, untilMs: number, nowMs: number): void {
    for (const [key, at] of this.#untilMs) if (isDue(at, nowMs)) this.#untilMs.delete(key);
    if (untilMs <= this.untilMs(notifier)) return;
    this.#untilMs.set(buildKey(notifier), untilMs);
    writeStateFile(this.#file, Object.fromEntries(this.#untilMs));
  }
}

function buildKey({ name, settings }: Configured): string {
  return `${name} ${fingerprint(settings)}`;
}
