import * as z from "zod";
import { once } from "../core/once.ts";
import { relayedStates } from "../core/relayed-state.ts";
import { readStateFile, writeStateFile } from "../files/state-file.ts";

const earlyEndSchema = once(() =>
  z.object({
    host: z.string(),
    id: z.string(),
    state: z.enum(relayedStates),
    atMs: z.number(),
    by: z.string().optional(),
  }),
);
/** Resolution of another machine's event that has not arrived yet. */
export type EarlyEnd = Readonly<z.output<ReturnType<typeof earlyEndSchema>>>;

/** Longest time that a resolution waits for its event. */
const keptMs = 8 * 24 * 3_600_000;
const maxKept = 10_000;
/** Most resolutions of one machine, so that it cannot evict those of others. */
const maxKeptOfHost = 1_000;

/** Resolutions that arrived before their events. These events then do not notify. Kept in a file. */
export class EarlyEnds {
  readonly #file: string;
  #ends: Map<string, EarlyEnd> | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  of(host: string, id: string): EarlyEnd | undefined {
    return this.#all().get(keyOf({ host, id }));
  }

  add(added: readonly EarlyEnd[], nowMs: number): void {
    if (added.length === 0) return;
    const ends = this.#all();
    for (const end of added) ends.set(keyOf(end), end);
    for (const host of new Set(added.map((end) => end.host))) {
      const keys = [...ends].flatMap(([key, end]) => (end.host === host ? [key] : []));
      for (const key of keys.slice(0, -maxKeptOfHost)) ends.delete(key);
    }
    const old = [...ends].filter(([, { atMs }], index) => nowMs - atMs > keptMs || ends.size - index > maxKept);
    for (const [key] of old) ends.delete(key);
    this.#save();
  }

  forget(end: EarlyEnd): void {
    if (this.#all().delete(keyOf(end))) this.#save();
  }

  #save(): void {
    writeStateFile(this.#file, [...this.#all().values()]);
  }

  #all(): Map<string, EarlyEnd> {
    this.#ends ??= new Map(
      readStateFile(this.#file, () => z.array(earlyEndSchema()), []).map((end): [string, EarlyEnd] => [
        keyOf(end),
        end,
      ]),
    );
    return this.#ends;
  }
}

function keyOf({ host, id }: Pick<EarlyEnd, "host" | "id">): string {
  return `${host} ${id}`;
}
