import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Receivers that asked to be left alone, by notifier name; kept over worker restarts. */
export class Pauses {
  readonly #file: string;
  readonly #untilMs: Map<string, number>;

  constructor(file: string) {
    this.#file = file;
    this.#untilMs = readPauses(file);
  }

  /** Until when nothing may be sent there, Unix milliseconds; 0 when it may. */
  untilMs(notifier: string): number {
    return this.#untilMs.get(notifier) ?? 0;
  }

  pause(notifier: string, untilMs: number): void {
    if (untilMs <= this.untilMs(notifier)) return;
    this.#untilMs.set(notifier, untilMs);
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    writeFileSync(`${this.#file}.new`, JSON.stringify(Object.fromEntries(this.#untilMs)), { mode: 0o600 });
    renameSync(`${this.#file}.new`, this.#file);
  }
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
