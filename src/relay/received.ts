import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { dayMs, utcDay } from "../text/time.ts";

/** How long it is remembered what came in: longer than anything is worth sending. */
const keptDays = 9;
const fileName = /^\d{4}-\d{2}-\d{2}$/;

/** How sure it is that something came in: stored in the spool, or perhaps only about to be when the process ended. */
export type Certainty = "stored" | "begun";

/**
 * What came in from other machines, so that what is sent twice is taken once: a file a day, a line each, written before
 * it is stored in the spool. Each is `host id`; neither has a space.
 */
export class Received {
  readonly #folder: string;
  readonly #known = new Map<string, Certainty>();

  /** Reads what is remembered. A process that ended may not have stored the last of it. */
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

  of(host: string, id: string): Certainty | undefined {
    return this.#known.get(`${host} ${id}`);
  }

  /** Notes that something is about to be stored. @throws the system's error where it cannot be noted */
  begin(host: string, id: string, nowMs: number): void {
    const line = `${host} ${id}`;
    if (this.#known.has(line)) return;
    // A line that a full disk has torn is nobody's id; the next one begins on a line of its own.
    appendFileSync(join(this.#folder, utcDay(nowMs)), `\n${line}\n`, { mode: 0o600 });
    this.#known.set(line, "begun");
  }

  stored(host: string, id: string): void {
    this.#known.set(`${host} ${id}`, "stored");
  }
}
