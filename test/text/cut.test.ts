import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cut, type LengthUnit, lengthIn } from "../../src/text/cut.ts";
import { escapeEntities } from "../../src/text/html.ts";
import { measureCpuMs } from "../core/cpu-time.ts";

const units: readonly LengthUnit[] = ["bytes", "utf16", "codePoints", "graphemes"];
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const family = "👨‍👩‍👧‍👦";

const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 20 }),
      fc.constantFrom(family, "🇩🇪🇫🇷", "e\u0301", "👍🏽", "\r\n", "क्षि", " ", "\n", "&<>", "ab cd ", "\u{1f3fb}"),
    ),
    { maxLength: 20 },
  )
  .map((bits) => bits.join(""));
const max = fc.integer({ min: 0, max: 60 });
const forAnyCut = (check: (whole: string, most: number) => unknown) =>
  fc.assert(
    fc.property(text, max, (whole, most) => void check(whole, most)),
    { numRuns: 200 },
  );

describe.each(units)("cut to %s", (unit) => {
  test("a text is never longer than the limit", () => {
    forAnyCut((whole, most) => expect(lengthIn(unit, cut(whole, most, unit))).toBeLessThanOrEqual(most));
  });

  test("a text that fits is kept, any other becomes a beginning of it with an ellipsis, or empty", () => {
    forAnyCut((whole, most) => {
      const shown = cut(whole, most, unit);
      if (lengthIn(unit, whole) <= most) expect(shown).toBe(whole);
      else if (lengthIn(unit, "…") > most) expect(shown).toBe("");
      else {
        expect(shown.endsWith("…")).toBe(true);
        expect(whole.startsWith(shown.slice(0, -1))).toBe(true);
      }
    });
  });

  test("a grapheme is kept whole or not at all", () => {
    forAnyCut((whole, most) => {
      const kept = cut(whole, most, unit).slice(0, -1);
      const starts = new Set([...segmenter.segment(whole)].map(({ index }) => index));
      // Spaces before the ellipsis are trimmed; the cut was after them, between graphemes.
      const end = whole.slice(kept.length).search(/\S|$/) + kept.length;
      if (!cut(whole, most, unit).endsWith("…")) return;
      expect(starts.has(kept.length) || starts.has(end) || end === whole.length).toBe(true);
    });
  });

  test("as much as fits is kept", () => {
    forAnyCut((whole, most) => {
      const shown = cut(whole, most, unit);
      if (!shown.endsWith("…") || lengthIn(unit, whole) <= most) return;
      const parts = [...segmenter.segment(whole)].map(({ segment }) => segment);
      const beginnings = parts.map((_, index) => `${parts.slice(0, index).join("").trimEnd()}…`);
      const longest = beginnings.filter((beginning, index) => {
        const untrimmed = `${parts.slice(0, index).join("")}…`;
        return lengthIn(unit, beginning) <= most && lengthIn(unit, untrimmed) <= most;
      });
      expect(shown).toBe(longest.at(-1));
    });
  });

  test("the escaped form counts", () => {
    forAnyCut((whole, most) => {
      const shown = cut(whole, most, unit, escapeEntities);
      if (unit !== "graphemes") expect(lengthIn(unit, escapeEntities(shown))).toBeLessThanOrEqual(most);
    });
  });

  test.each([
    ["letters", "lorem ipsum "],
    ["families", family],
    ["combining marks on one letter", "\u0301"],
    ["skin tones on nothing", "\u{1f3fb}"],
    ["flags", "🇩🇪"],
  ])("a megabyte of %s takes little time and stays valid Unicode", (_, bit) => {
    const whole = `a${bit.repeat(Math.ceil(1_000_000 / bit.length))}`;
    let shown = "";
    expect(measureCpuMs(() => (shown = cut(whole, 3_000, unit)))).toBeLessThan(500);
    for (const most of [9, 100, 129, 3_000]) expect(cut(whole, most, unit).isWellFormed()).toBe(true);
    expect(lengthIn(unit, shown)).toBeLessThanOrEqual(3_000);
    expect(shown.endsWith("…")).toBe(true);
  });
});

test("a family of four is 25 bytes, 11 units of UTF-16, 7 code points and 1 grapheme long", () => {
  expect(units.map((unit) => lengthIn(unit, family))).toEqual([25, 11, 7, 1]);
});

test("the ellipsis counts in the same unit", () => {
  const hex = (part: string): string => Buffer.from(part).toString("hex");
  expect(cut("abcdef", 8, "utf16", hex)).toBe("a…");
});

test("a grapheme longer than any in real texts counts as several", () => {
  expect(cut(`a${"\u0301".repeat(100_000)}`, 80, "graphemes").length).toBeLessThanOrEqual(80 * 64);
});

test("an unpaired surrogate at the end of a text is harmless", () => {
  expect(cut(`${"a".repeat(600)}\ud83d`, 3, "utf16")).toBe("aa…");
});
