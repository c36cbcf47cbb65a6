import fc from "fast-check";
import { expect, test } from "vitest";
import { alignRows, cellsOf, cutToCells } from "../../src/cli/columns.ts";

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
