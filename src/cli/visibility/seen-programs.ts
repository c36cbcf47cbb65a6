import { join } from "node:path";
import * as z from "zod";
import { readStateFile, writeStateFile } from "../../files/atomic-file.ts";
import type { Paths } from "../../files/paths.ts";

/**
 * For each notifier, the program whose notifications the user has seen, and the ISO 8601 time at which the user
 * confirmed that.
 */
const seenSchema = z.record(z.string(), z.object({ program: z.string(), at: z.string() }));
type SeenPrograms = z.output<typeof seenSchema>;

const seenFile = ({ state }: Pick<Paths, "state">): string => join(state, "seen-programs.json");

/** Returns the ISO 8601 time at which the user confirmed seeing a program's notifications; undefined if never. */
export function seenAt(paths: Pick<Paths, "state">, notifier: string, program: string): string | undefined {
  const seen = readSeen(paths)[notifier];
  return seen?.program === program ? seen.at : undefined;
}

/** Records that the user sees the notifications of a program. Without a program, records that the user sees none. */
export function noteSeen(paths: Pick<Paths, "state">, notifier: string, program: string | undefined): void {
  const { [notifier]: _, ...others } = readSeen(paths);
  const at = new Date().toISOString();
  writeStateFile(seenFile(paths), program === undefined ? others : { ...others, [notifier]: { program, at } });
}

function readSeen(paths: Pick<Paths, "state">): SeenPrograms {
  return readStateFile(seenFile(paths), () => seenSchema, {});
}
