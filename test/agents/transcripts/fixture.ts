import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Facts, FoundFacts } from "../../../src/core/facts.ts";

const fixtures = join(import.meta.dirname, "..", "..", "fixtures");

/** A real transcript; a name without a folder is one made for a test. */
export function fixture(name: string): string {
  return readFileSync(join(fixtures, name.includes("/") ? name : join("transcripts", name)), "utf8");
}

/** The parts of a transcript that is shorter than a lookup's limit. */
export function loadTranscript(name: string, companion?: string) {
  const text = fixture(name);
  return { head: text, tail: text, ...(companion !== undefined && { companion: fixture(companion) }) };
}

/** Facts without those that only classification uses. */
export function shown({ work: _, ...facts }: FoundFacts): Facts {
  return facts;
}
