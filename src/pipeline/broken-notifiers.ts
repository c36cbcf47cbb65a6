import { join } from "node:path";
import * as z from "zod";
import type { ConfiguredNotifier } from "../config/config.ts";
import { once } from "../core/once.ts";
import type { Paths } from "../files/paths.ts";
import { fingerprint, readStateFile, writeStateFile } from "../files/state-file.ts";

/** Pause before retrying a broken notifier with unchanged settings: one hour. */
const brokenRetryMs = 3_600_000;

const brokenSchema = once(() =>
  z.object({
    sinceMs: z.number(),
    /** Time of the next attempt, Unix milliseconds. */
    untilMs: z.number(),
    /** Cause, without secrets. */
    reason: z.string(),
    /** Advice on fixing it, if the notifier has any. */
    hint: z.string().optional(),
    /** Fingerprint of the rejected settings. */
    settings: z.string(),
    /** True once the user was notified. */
    isReported: z.boolean(),
  }),
);
/** Notifier whose address or credentials the receiver rejects (401, 403, 404, 410), or whose secret is missing. */
export type BrokenNotifier = z.output<ReturnType<typeof brokenSchema>>;

/** Cause of a broken notifier; transient if its secret may be there at the next attempt. */
interface Rejection extends Pick<BrokenNotifier, "reason" | "hint"> {
  readonly isTransient?: boolean;
}

type Configured = Pick<ConfiguredNotifier, "name" | "settings">;

/** Returns the path of the file that lists broken notifiers. */
export function brokenFile({ state }: Pick<Paths, "state">): string {
  return join(state, "broken.json");
}

/** Notifiers that need a change by the user, by name. Worker and commands share a file, which is read at each use. */
export class BrokenNotifiers {
  readonly #file: string;
  /** Notifiers being reported right now: several events may find the same notifier broken at the same time. */
  readonly #beingReported = new Set<string>();

  constructor(file: string) {
    this.#file = file;
  }

  /** Returns the record of a notifier that broke with its current settings; otherwise undefined. */
  find({ name, settings }: Configured): BrokenNotifier | undefined {
    const known = this.#read()[name];
    return known?.settings === fingerprint(settings) ? known : undefined;
  }

  /** Records a rejection, which postpones the next attempt unless it is transient. Keeps `sinceMs` and `isReported`. */
  note(configured: Configured, { isTransient, ...rejection }: Rejection, nowMs: number): void {
    const { sinceMs, isReported } = this.find(configured) ?? { sinceMs: nowMs, isReported: false };
    const settings = fingerprint(configured.settings);
    const untilMs = isTransient ? nowMs : nowMs + brokenRetryMs;
    this.#write({ ...this.#read(), [configured.name]: { sinceMs, untilMs, ...rejection, settings, isReported } });
  }

  /**
   * Reports a broken notifier to the user, unless this was done or is in progress.
   * @param report resolves to true if it reached the user
   */
  async reportOnce(configured: Configured, report: (known: BrokenNotifier) => Promise<boolean>): Promise<void> {
    const { name } = configured;
    const known = this.find(configured);
    if (!known || known.isReported || this.#beingReported.has(name)) return;
    this.#beingReported.add(name);
    try {
      const isReported = await report(known);
      const all = this.#read();
      if (isReported && all[name]) this.#write({ ...all, [name]: { ...all[name], isReported } });
    } finally {
      this.#beingReported.delete(name);
    }
  }

  /** Removes a notifier that works again. */
  forget({ name }: Pick<Configured, "name">): void {
    const { [name]: known, ...others } = this.#read();
    if (known) this.#write(others);
  }

  #read(): Record<string, BrokenNotifier> {
    return readStateFile(this.#file, () => z.record(z.string(), brokenSchema()), {});
  }

  #write(all: Record<string, BrokenNotifier>): void {
    writeStateFile(this.#file, all);
  }
}
