import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { dayMs, utcDay } from "../text/time.ts";

/** Number of days that ids are kept. Senders keep an envelope for eight days. */
const keptDays = 9;
const fileName = /^\d{4}-\d{2}-\d{2}$/;

/** Certainty that an event was stored. With `begun`, an earlier process may have ended before storing the event. */
export type Certainty = "stored" | "begun";

/**
 * Ids of events from other machines, for dropping duplicates. Each day has a file with one line for each id, `host id`.
 * Neither part contains a space. The line is written before the event is stored in the spool.
 */
export class Received {
  readonly #folder: string;
  readonly #known = new Map<string, Certainty>();

  /**
   * Reads the ids from disk. They count as `begun`, because an earlier process may have ended before it stored the
   * event.
   */
  constructor(folder: string, nowMs: number) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const oldest = utcDay(nowMs - keptDays * dayMs);
    for (const file of readdirSync(folder).filter((name) => fileName.test(name))) {
      if (file < oldest) rmSync(join(folder, file), { force: true });
      else
        for (const line of readFileSync(join(folder, file), "utf8").split("\n"))
          if (line !== "") this.#known.set(line, "begun");
    }
  }

  find(host: string, id: string): Certainty | undefined {
    return this.#known.get(`${host} ${id}`);
  }

  /** Records that an event is about to be stored. @throws the system's error if the id cannot be written */
  markBegun(host: string, id: string, nowMs: number): void {
    const line = `${host} ${id}`;
    if (this.#known.has(line)) return;
    // On a full disk a line may be cut short and match no id. The leading line feed keeps the next line intact.
    appendFileSync(join(this.#folder, utcDay(nowMs)), `\n${line}\n`, { mode: 0o600 });
    this.#known.set(line, "begun");
  }

  markStored(host: string, id: string): void {
    this.#known.set(`${host} ${id}`, "stored");
  }
}
