import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { dayMs, utcDay } from "../text/time.ts";

/** Days that ids are remembered: longer than senders keep an envelope. */
const keptDays = 9;
const fileName = /^\d{4}-\d{2}-\d{2}$/;

/** Certainty that an event was stored: `begun` if the process may have ended before storing it. */
export type Certainty = "stored" | "begun";

/**
 * Ids received from other machines, so that duplicates are dropped. One file a day, one line an id, written before the
 * event is stored in the spool. A line is `host id`; neither has a space.
 */
export class Received {
  readonly #folder: string;
  readonly #known = new Map<string, Certainty>();

  /** Reads the remembered ids. The last events of a process that ended may not be stored. */
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

  /** Notes that an event is about to be stored. @throws the system's error if that fails */
  markBegun(host: string, id: string, nowMs: number): void {
    const line = `${host} ${id}`;
    if (this.#known.has(line)) return;
    // A line that a full disk has cut off matches no id. The next line starts with a line feed.
    appendFileSync(join(this.#folder, utcDay(nowMs)), `\n${line}\n`, { mode: 0o600 });
    this.#known.set(line, "begun");
  }

  markStored(host: string, id: string): void {
    this.#known.set(`${host} ${id}`, "stored");
  }
}
