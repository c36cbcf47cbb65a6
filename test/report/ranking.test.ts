import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { headOf, rankingOf, shownName } from "../../src/report/ranking.ts";
import { sumOf } from "./rows.ts";

test("the counts of a ranking add up to its total, greatest first, wherever it is cut", () => {
  const counts = fc.array(fc.tuple(fc.string({ maxLength: 3 }), fc.nat(1_000_000)), { maxLength: 120 });
  fc.assert(
    fc.property(counts, fc.nat(60), (pairs, most) => {
      const ranking = headOf(rankingOf(pairs), most);
      const shown = ranking.top.map(({ count }) => count);
      expect(ranking.total).toBe(sumOf(pairs, ([, count]) => count));
      expect(sumOf(shown, (count) => count) + ranking.rest.count).toBe(ranking.total);
      expect(shown).toEqual(shown.toSorted((a, b) => b - a));
      expect(ranking.top.length).toBeLessThanOrEqual(most);
    }),
    { numRuns: 300 },
  );
});

test("names that were cut off a ranking stay in its rest when it is cut again", () => {
  const ranking = rankingOf(Array.from({ length: 70 }, (_, n) => [`tool-${n}`, 1]));
  expect(headOf(ranking, 8).rest).toEqual({ names: 62, count: 62 });
});

test("names after the fiftieth are counted together", () => {
  const { top, rest } = rankingOf(Array.from({ length: 70 }, (_, n) => [`tool-${n}`, n + 1]));
  expect(top).toHaveLength(50);
  expect(rest).toEqual({ names: 20, count: (20 * 21) / 2 });
});

describe("a shown name", () => {
  test.each([
    ["is one line", "a\n b\u0000", "a b"],
    ["has no bidirectional override", "\u202egpj.exe", "gpj.exe"],
    ["is never empty", " \u202e ", "(no name)"],
    ["of 10 kB is cut", "x".repeat(10_000), `${"x".repeat(79)}…`],
  ])("%s", (_, text, shown) => {
    expect(shownName(text)).toBe(shown);
  });

  test("does not change when it is cleaned again", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => shownName(shownName(text)) === shownName(text)));
  });
});
