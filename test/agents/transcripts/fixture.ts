import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Facts, FoundFacts } from "../../../src/core/facts.ts";

const fixtures = join(import.meta.dirname, "..", "..", "fixtures");

/** Reads a real transcript or, if the name has no folder, a transcript made for a test. */
export function fixture(name: string): string {
  return readFileSync(join(fixtures, name.includes("/") ? name : join("transcripts", name)), "utf8");
}

/** Loads the parts of a transcript that is shorter than the limit of a lookup. */
export function loadTranscript(name: string, companion?: string) {
  const text = fixture(name);
  return { head: text, tail: text, ...(companion !== undefined && { companion: fixture(companion) }) };
}

/** Returns the facts without those that only classification uses. */
export function shown({ work: _, ...facts }: FoundFacts): Facts {
  return facts;
}
