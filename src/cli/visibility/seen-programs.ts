import { join } from "node:path";
import * as z from "zod";
import type { Paths } from "../../files/paths.ts";
import { readStateFile, writeStateFile } from "../../files/state-file.ts";

/** By notifier: the program whose message the user has seen, and when, as an ISO 8601 instant. */
const seenSchema = z.record(z.string(), z.object({ program: z.string(), at: z.string() }));
type SeenPrograms = z.output<typeof seenSchema>;

const seenFile = ({ state }: Pick<Paths, "state">): string => join(state, "seen-programs.json");

/** When the user said that they see what a program shows for a notifier, as an ISO 8601 instant; undefined: never. */
export function seenAt(paths: Pick<Paths, "state">, notifier: string, program: string): string | undefined {
  const seen = readSeen(paths)[notifier];
  return seen?.program === program ? seen.at : undefined;
}

/** Keeps that the user sees what a program shows for a notifier; without a program, that they do not. */
export function noteSeen(paths: Pick<Paths, "state">, notifier: string, program: string | undefined): void {
  const { [notifier]: _, ...others } = readSeen(paths);
  const at = new Date().toISOString();
  writeStateFile(seenFile(paths), program === undefined ? others : { ...others, [notifier]: { program, at } });
}

function readSeen(paths: Pick<Paths, "state">): SeenPrograms {
  return readStateFile(seenFile(paths), () => seenSchema, {});
}
