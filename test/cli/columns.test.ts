import fc from "fast-check";
import { expect, test } from "vitest";
import { alignRows, cellsOf, cutToCells, fitRows, fold } from "../../src/cli/columns.ts";

test.each([
  ["", 0],
  ["shop", 4],
  ["café", 4],
  ["cafe\u0301", 4],
  ["店", 2],
  ["한국", 4],
  ["🎉", 2],
  ["👩‍👩‍👧", 2],
  ["✓", 1],
  ["通知、。：（）！", 16],
  ["セッション：2時間3分", 20],
  ["session : terminée…", 19],
])("%j takes %i cells", (text, cells) => expect(cellsOf(text)).toBe(cells));

test("a column starts at the same cell in every row", () => {
  const cell = fc.string({ unit: fc.constantFrom("a", "é", "店", "🎉", "-"), minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 }), (rows) => {
      const marked = rows.map(([first, second, third]) => [`${first}`, `|${second}`, `|${third}`]);
      const starts = alignRows(marked).map((line) =>
        [line.indexOf("|"), line.lastIndexOf("|")].map((at) => cellsOf(line.slice(0, at))).join(),
      );
      expect(new Set(starts).size).toBe(1);
    }),
    { numRuns: 200 },
  );
});

test("a cut text is no wider than the maximum, starts like the text, and is the text where that fits", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "店", "🎉", "e\u0301", "👩‍👩‍👧", " "), maxLength: 40 });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 30 }), (whole, maxCells) => {
      const cut = cutToCells(whole, maxCells);
      expect(cellsOf(cut)).toBeLessThanOrEqual(maxCells);
      if (cellsOf(whole) <= maxCells) expect(cut).toBe(whole);
      else expect([whole.startsWith(cut.slice(0, -1)), cut.at(-1), cut.isWellFormed()]).toEqual([true, "…", true]);
    }),
  );
});

const words = fc.array(fc.stringMatching(/^[a-zé店]{1,9}$/u), { minLength: 1, maxLength: 12 });

test("a folded text has the same words, and no line that is too long", () => {
  fc.assert(
    fc.property(words, fc.integer({ min: 24, max: 60 }), fc.integer({ min: 0, max: 4 }), (said, maxCells, indent) => {
      const lines = fold(said.join(" "), maxCells, indent);
      expect(lines.flatMap((line) => line.trim().split(" "))).toEqual(said);
      expect(lines.filter((line) => cellsOf(line) > maxCells)).toEqual([]);
    }),
  );
});

test("a word that is longer than a line stays whole", () => {
  expect(fold("see /a/very/long/path/of/somebody now", 12)).toEqual(["see", "/a/very/long/path/of/somebody", "now"]);
});

test("a table that is too wide keeps its words and no line of it is too long", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(words, words), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 40, max: 99 }),
      (rows, maxCells) => {
        const cells = rows.map(([first, last]) => [first[0] ?? "", "x", last.join(" ")]);
        const lines = fitRows(cells, maxCells);
        expect(lines.filter((line) => cellsOf(line) > maxCells)).toEqual([]);
        expect(lines.join(" ").split(/\s+/).filter(Boolean)).toEqual(cells.flatMap((row) => row.join(" ").split(" ")));
      },
    ),
  );
});
