import { join } from "node:path";
import * as z from "zod";
import type { ConfiguredNotifier } from "../config/config.ts";
import { once } from "../core/once.ts";
import type { Paths } from "../files/paths.ts";
import { fingerprint, readStateFile, writeStateFile } from "../files/state-file.ts";

/** Pause before a broken notifier with unchanged settings is tried again: one hour. */
const brokenRetryMs = 3_600_000;

const brokenSchema = once(() =>
  z.object({
    sinceMs: z.number(),
    /** Time of the next attempt, Unix milliseconds. */
    untilMs: z.number(),
    /** Cause of the rejection, without secrets. */
    reason: z.string(),
    /** Advice on how to fix the cause, if the notifier has any. */
    hint: z.string().optional(),
    /** Fingerprint of the rejected settings. */
    settings: z.string(),
    /** True once the user was notified. */
    isReported: z.boolean(),
  }),
);
/** Notifier whose receiver rejects its address or credentials (401, 403, 404, 410), or whose secret is missing. */
export type BrokenNotifier = z.output<ReturnType<typeof brokenSchema>>;

/** Reason why a notifier is broken. Transient for a missing secret, which may be there at the next attempt. */
interface Rejection extends Pick<BrokenNotifier, "reason" | "hint"> {
  readonly isTransient?: boolean;
}

type Configured = Pick<ConfiguredNotifier, "name" | "settings">;

/** Returns the path of the file that lists broken notifiers. */
export function brokenFile({ state }: Pick<Paths, "state">): string {
  return join(state, "broken.json");
}

/** Record of broken notifiers by name, in a file that the worker and commands share and that each call reads again. */
export class BrokenNotifiers {
  readonly #file: string;
  /** Names of notifiers about which a report is being sent. Several events may find a notifier broken at once. */
  readonly #beingReported = new Set<string>();

  constructor(file: string) {
    this.#file = file;
  }

  /** Returns the record of a notifier that is broken with its current settings; undefined if it is not broken. */
  find({ name, settings }: Configured): BrokenNotifier | undefined {
    const known = this.#read()[name];
    return known?.settings === fingerprint(settings) ? known : undefined;
  }

  /**
   * Records a rejection. Postpones the next attempt by an hour unless the cause is transient. Keeps `sinceMs` and
   * `isReported` of an earlier rejection.
   */
  note(configured: Configured, { isTransient, ...rejection }: Rejection, nowMs: number): void {
    const { sinceMs, isReported } = this.find(configured) ?? { sinceMs: nowMs, isReported: false };
    const settings = fingerprint(configured.settings);
    const untilMs = isTransient ? nowMs : nowMs + brokenRetryMs;
    this.#write({ ...this.#read(), [configured.name]: { sinceMs, untilMs, ...rejection, settings, isReported } });
  }

  /**
   * Reports to the user that a notifier is broken, unless a report was sent or is being sent.
   * @param report sends the report; resolves to true if the report reached the user
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

  /** Removes a notifier from the file because it works again. */
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
