import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { ConfiguredNotifier } from "../config/config.ts";
import type { Paths } from "../core/paths.ts";
import { fingerprint } from "./deduplicate.ts";
import { writeStateFile } from "./state-file.ts";

/** How long a broken notifier is left alone before it is tried again with the same configuration. */
const restMs = 3_600_000;

const brokenSchema = z.object({
  sinceMs: z.number(),
  /** Not tried before, Unix milliseconds. */
  untilMs: z.number(),
  /** Why, in words that may be shown. */
  reason: z.string(),
  /** What to do about it, where the notifier knows. */
  hint: z.string().optional(),
  /** Tells the configuration it broke with from another. */
  settings: z.string(),
  /** Whether the user has heard of it. */
  told: z.boolean(),
});
/** A notifier whose receiver does not know it any more: 401, 403, 404, 410. */
export type BrokenNotifier = z.output<typeof brokenSchema>;

type Configured = Pick<ConfiguredNotifier, "name" | "settings">;

/** Where it is kept. */
export function brokenFile({ state }: Pick<Paths, "state">): string {
  return join(state, "broken.json");
}

/**
 * Notifiers that do not work until the user mends them, by name; kept on the disk, since worker and commands both look
 * and write, and read anew each time.
 */
export class BrokenNotifiers {
  readonly #file: string;
  /** Those of which the user is being told just now: many events may find one broken at the same time. */
  readonly #telling = new Set<string>();

  constructor(file: string) {
    this.#file = file;
  }

  /** What is known of a notifier that broke with this very configuration. */
  of({ name, settings }: Configured): BrokenNotifier | undefined {
    const known = this.#read()[name];
    return known?.settings === fingerprint(settings) ? known : undefined;
  }

  /** Notes a refusal. The rest begins anew; since when it is broken, and whether that was told, stays. */
  note(configured: Configured, refusal: Pick<BrokenNotifier, "reason" | "hint">, nowMs: number): void {
    const { sinceMs, told } = this.of(configured) ?? { sinceMs: nowMs, told: false };
    const settings = fingerprint(configured.settings);
    const broken = { sinceMs, untilMs: nowMs + restMs, ...refusal, settings, told };
    this.#write({ ...this.#read(), [configured.name]: broken });
  }

  /**
   * Has the user told, unless he has heard of it or is hearing of it now.
   * @param tell resolves to whether it reached him
   */
  async tellOnce(configured: Configured, tell: (known: BrokenNotifier) => Promise<boolean>): Promise<void> {
    const { name } = configured;
    const known = this.of(configured);
    if (!known || known.told || this.#telling.has(name)) return;
    this.#telling.add(name);
    try {
      if (await tell(known)) this.#told(name);
    } finally {
      this.#telling.delete(name);
    }
  }

  #told(name: string): void {
    const all = this.#read();
    if (all[name]) this.#write({ ...all, [name]: { ...all[name], told: true } });
  }

  /** It works again. */
  mend({ name }: Pick<Configured, "name">): void {
    const { [name]: known, ...others } = this.#read();
    if (known) this.#write(others);
  }

  #read(): Record<string, BrokenNotifier> {
    try {
      return z.record(z.string(), brokenSchema).parse(JSON.parse(readFileSync(this.#file, "utf8")));
    } catch {
      return {}; // none yet
    }
  }

  #write(all: Record<string, BrokenNotifier>): void {
    writeStateFile(this.#file, all);
  }
}
