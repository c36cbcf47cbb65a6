import fc from "fast-check";
import { expect, test } from "vitest";
import { fittedLabel, labelPixels } from "../../../src/report/page/chart-option.ts";

test.each([
  ["Read", 100, "Read"],
  ["PostToolUse (Edit|Write)", 192, "PostToolUse (Edit|Write)"],
  ["x".repeat(80), 100, `${"x".repeat(11)}…`],
  ["WWWWWWWWWWWW", 100, "WWWWW…"],
  ["日本語のとても長い名前", 100, "日本語のと…"],
  ["👩‍👩‍👧‍👦".repeat(30), 100, "👩‍👩‍👧‍👦…"],
  ["é".normalize("NFD").repeat(20), 100, `${"é".normalize("NFD").repeat(11)}…`],
])("%s in %d pixels is %s", (text, pixels, shown) => {
  expect(fittedLabel(text, pixels)).toBe(shown);
});

test("a label that fits stays whole; any other is cut between graphemes", () => {
  const name = fc.string({ unit: "grapheme", maxLength: 60 });
  fc.assert(
    fc.property(name, fc.integer({ min: 30, max: 300 }), (text, pixels) => {
      const label = fittedLabel(text, pixels);
      expect(label.isWellFormed()).toBe(true);
      if (label !== text) expect([text.startsWith(label.slice(0, -1)), label.at(-1)]).toEqual([true, "…"]);
      if (labelPixels(text) <= pixels) expect(label).toBe(text);
    }),
    { numRuns: 300 },
  );
});
