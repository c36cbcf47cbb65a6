import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bar, downsample, sparkline, verticalBars } from "../../../../../src/cli/commands/service/output/bars.ts";

const values = fc.array(fc.double({ noNaN: true, min: -10, max: 1e300 }), { maxLength: 40 });

describe("a horizontal bar", () => {
  test.each([
    ["the whole", 8, 8, "████"],
    ["a half", 4, 8, "██"],
    ["a part of a cell", 1, 8, "▌"],
    ["almost nothing", 1, 1e9, "▏"],
    ["nothing", 0, 8, ""],
    ["less than nothing", -3, 8, ""],
    ["of nothing", 0, 0, ""],
  ])("of %s", (_, value, greatest, expected) => {
    expect(bar(value, greatest, 4, false)).toBe(expected);
  });

  test("in ASCII consists of number signs", () => {
    expect(bar(5, 8, 8, true)).toBe("#####");
    expect(bar(1, 1e9, 8, true)).toBe("#");
  });

  test("fits, and does not get shorter for a greater value", () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.nat(1000), fc.nat(60), fc.boolean(), (a, b, cells, isPlain) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)];
        const bars = [bar(less, 1000, cells, isPlain), bar(more, 1000, cells, isPlain)];
        expect(bars[0]?.length).toBeLessThanOrEqual(bars[1]?.length ?? 0);
        expect(bars[1]?.length).toBeLessThanOrEqual(Math.max(cells, 0));
      }),
      { numRuns: 300 },
    );
  });
});

test("vertical bars grow from the lowest line", () => {
  expect(verticalBars([0, 1, 4, 8], 8, 2, false)).toEqual(["   █", " ▂██"]);
  expect(verticalBars([0, 1, 4, 8], 8, 2, true)).toEqual(["   #", " ###"]);
});

test("a sparkline has a cell for each value", () => {
  expect(sparkline([0, 1, 4, 8], 8, false)).toBe(" ▁▄█");
  expect(sparkline([0, 1, 4, 8], 8, true)).toBe(" .=#");
  fc.assert(
    fc.property(values, fc.boolean(), (own, isPlain) => {
      expect(sparkline(own, Math.max(0, ...own), isPlain)).toHaveLength(own.length);
      for (const line of verticalBars(own, Math.max(0, ...own), 4, isPlain)) expect(line).toHaveLength(own.length);
    }),
    { numRuns: 200 },
  );
});

test("downsampled values keep their means, and are as few as asked for", () => {
  expect(downsample([1, 3, 5, 7, 9], 3)).toEqual([2, 6, 9]);
  expect(downsample([1, 2], 5)).toEqual([1, 2]);
  expect(downsample([1, null, null, null, 9], 3)).toEqual([1, null, 9]);
  fc.assert(
    fc.property(fc.array(fc.nat(100), { maxLength: 60 }), fc.integer({ min: 1, max: 80 }), (own, most) => {
      const shown = downsample(own, most);
      expect(shown.length).toBeLessThanOrEqual(most);
      expect(Math.max(-1, ...shown.map((value) => value ?? 0))).toBeLessThanOrEqual(Math.max(-1, ...own) + 1e-9);
    }),
    { numRuns: 300 },
  );
});
