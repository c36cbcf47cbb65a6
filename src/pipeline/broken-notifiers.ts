import { join } from "node:path";
import * as z from "zod";
import type { ConfiguredNotifier } from "../config/config.ts";
import { once } from "../core/once.ts";
import type { Paths } from "../files/paths.ts";
import { fingerprint, readStateFile, writeStateFile } from "../files/state-file.ts";

/** How long a broken notifier with unchanged settings is not tried again; one hour. */
const retryAfterMs = 3_600_000;

const brokenSchema = once(() =>
  z.object({
    sinceMs: z.number(),
    /** Time of the next attempt, Unix milliseconds. */
    untilMs: z.number(),
    /** Why it is broken, without secrets. */
    reason: z.string(),
    /** What to do about it, where the notifier knows. */
    hint: z.string().optional(),
    /** Fingerprint of the settings it broke with. */
    settings: z.string(),
    /** Whether the user was notified of it. */
    isReported: z.boolean(),
  }),
);
/** A notifier whose address or credentials the receiver rejects (401, 403, 404, 410), or whose secret is missing. */
export type BrokenNotifier = z.output<ReturnType<typeof brokenSchema>>;

/** Why a notifier does not work; transient if its secret may be there at the next attempt. */
interface Rejection extends Pick<BrokenNotifier, "reason" | "hint"> {
  readonly isTransient?: boolean;
}

type Configured = Pick<ConfiguredNotifier, "name" | "settings">;

/** The file in which broken notifiers are kept. */
export function brokenFile({ state }: Pick<Paths, "state">): string {
  return join(state, "broken.json");
}

/**
 * Notifiers that do not work until the user changes something, by name. Worker and commands share them through a file,
 * which is read anew each time.
 */
export class BrokenNotifiers {
  readonly #file: string;
  /** Those being reported right now: several events may find the same notifier broken at the same time. */
  readonly #beingReported = new Set<string>();

  constructor(file: string) {
    this.#file = file;
  }

  /** The record of a notifier that broke with these very settings; else undefined. */
  of({ name, settings }: Configured): BrokenNotifier | undefined {
    const known = this.#read()[name];
    return known?.settings === fingerprint(settings) ? known : undefined;
  }

  /**
   * Records a rejection, which postpones the next attempt unless it is transient. `sinceMs` and `isReported` stay as
   * they are.
   */
  note(configured: Configured, { isTransient, ...rejection }: Rejection, nowMs: number): void {
    const { sinceMs, isReported } = this.of(configured) ?? { sinceMs: nowMs, isReported: false };
    const settings = fingerprint(configured.settings);
    const untilMs = isTransient ? nowMs : nowMs + retryAfterMs;
    this.#write({ ...this.#read(), [configured.name]: { sinceMs, untilMs, ...rejection, settings, isReported } });
  }

  /**
   * Reports a broken notifier to the user, unless that was done or is being done.
   * @param report resolves to whether it reached the user
   */
  async reportOnce(configured: Configured, report: (known: BrokenNotifier) => Promise<boolean>): Promise<void> {
    const { name } = configured;
    const known = this.of(configured);
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

  /** Forgets a notifier, since it works again. */
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
