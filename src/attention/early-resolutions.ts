import * as z from "zod";
import { once } from "../core/once.ts";
import { relayedStates } from "../core/vocabulary.ts";
import { readStateFile, writeStateFile } from "../files/atomic-file.ts";
import { dayMs } from "../text/time.ts";

const earlyResolutionSchema = once(() =>
  z.object({
    host: z.string(),
    id: z.string(),
    state: z.enum(relayedStates),
    atMs: z.number(),
    by: z.string().optional(),
  }),
);
/** Resolution of an event from another machine that arrived before the event itself. */
export type EarlyResolution = Readonly<z.output<ReturnType<typeof earlyResolutionSchema>>>;

/** Longest time that a resolution waits for its event: eight days. */
const retentionMs = 8 * dayMs;
const maxKept = 10_000;
/** Maximum number of resolutions kept for one machine, so that no machine can take up all the space. */
const maxKeptPerHost = 1_000;

/** Resolutions that arrived before their events, stored in a file. The user is never notified of those events. */
export class EarlyResolutions {
  readonly #file: string;
  #resolutions: Map<string, EarlyResolution> | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  find(host: string, id: string): EarlyResolution | undefined {
    return this.#all().get(buildKey({ host, id }));
  }

  add(added: readonly EarlyResolution[], nowMs: number): void {
    if (added.length === 0) return;
    const resolutions = this.#all();
    for (const resolution of added) resolutions.set(buildKey(resolution), resolution);
    for (const host of new Set(added.map((resolution) => resolution.host))) {
      const keys = [...resolutions].flatMap(([key, resolution]) => (resolution.host === host ? [key] : []));
      for (const key of keys.slice(0, -maxKeptPerHost)) resolutions.delete(key);
    }
    const old = [...resolutions].filter(
      ([, { atMs }], index) => nowMs - atMs > retentionMs || resolutions.size - index > maxKept,
    );
    for (const [key] of old) resolutions.delete(key);
    this.#save();
  }

  forget(resolution: EarlyResolution): void {
    if (this.#all().delete(buildKey(resolution))) this.#save();
  }

  #save(): void {
    writeStateFile(this.#file, [...this.#all().values()]);
  }

  #all(): Map<string, EarlyResolution> {
    this.#resolutions ??= new Map(
      readStateFile(this.#file, () => z.array(earlyResolutionSchema()), []).map(
        (resolution): [string, EarlyResolution] => [buildKey(resolution), resolution],
      ),
    );
    return this.#resolutions;
  }
}

function buildKey({ host, id }: Pick<EarlyResolution, "host" | "id">): string {
  return `${host} ${id}`;
}
