import { readFileSync } from "node:fs";
import type { ConfiguredNotifier } from "../config/config.ts";
import { isDue } from "../core/due.ts";
import { fingerprint } from "./deduplicate.ts";
import { writeStateFile } from "./state-file.ts";

type Configured = Pick<ConfiguredNotifier, "name" | "settings">;

/**
 * Receivers that asked to be left alone, by notifier; kept over worker restarts. With other settings it is another
 * receiver, which asked for nothing.
 */
export class Pauses {
  readonly #file: string;
  readonly #untilMs: Map<string, number>;

  constructor(file: string) {
    this.#file = file;
    this.#untilMs = readPauses(file);
  }

  /** Until when nothing may be sent there, Unix milliseconds; 0 when it may. */
  untilMs(notifier: Configured): number {
    return this.#untilMs.get(keyOf(notifier)) ?? 0;
  }

  pause(notifier: Configured, untilMs: number, nowMs: number): void {
    for (const [key, at] of this.#untilMs) if (isDue(at, nowMs)) this.#untilMs.delete(key);
    if (untilMs <= this.untilMs(notifier)) return;
    this.#untilMs.set(keyOf(notifier), untilMs);
    writeStateFile(this.#file, Object.fromEntries(this.#untilMs));
  }
}

function keyOf({ name, settings }: Configured): string {
  return `${name} ${fingerprint(settings)}`;
}

function readPauses(file: string): Map<string, number> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    const entries = Object.entries((value ?? {}) as object).filter((entry): entry is [string, number] =>
      Number.isFinite(entry[1]),
    );
    return new Map(entries);
  } catch {
    return new Map(); // none yet
  }
}
