import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Ring, replay } from "../helpers/replay.ts";
import { type Expected, expectedRings } from "./rings.ts";

const folder = join(import.meta.dirname, "../fixtures/recordings");
const letters: Readonly<Record<string, "N" | "F" | "D">> = { "needs-you": "N", failed: "F", finished: "D" };

test("every recording has its expectation", () => {
  const recorded = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
  expect(recorded.map((name) => name.replace(/\.jsonl$/, "")).sort()).toEqual(Object.keys(expectedRings).sort());
});

test.each(Object.entries(expectedRings))("%s rings as a person wants it", async (recording, expected) => {
  const wrong = faultsOf(await replay(recording), expected);
  if (expected.known === undefined) expect(wrong).toEqual([]);
  else expect(wrong, `it rings right: take the mark "${expected.known}" away`).not.toEqual([]);
});

/** What is wrong with the rings of a session, one line each. */
function faultsOf(rings: readonly Ring[], { rings: wanted, says = {} }: Expected): string[] {
  const told = rings.map(({ kind }) => letters[kind] ?? kind).join("");
  const all = rings.map(({ kind, title, body }) => `\n  ${kind}: ${title} | ${body}`).join("");
  const faults = wanted.includes(told) ? [] : [`rang "${told}", not "${wanted.join('" or "')}":${all}`];
  for (const { kind, title, body } of rings) {
    const words = says[letters[kind] ?? "D"];
    if (words && !words.test(body)) faults.push(`${kind} does not say ${words}: ${title} | ${body}`);
  }
  return faults;
}
