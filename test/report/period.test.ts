import fc from "fast-check";
import { expect, test } from "vitest";
import { daysOf, previousPeriod, rangesOf, slicesOf, stepsOf } from "../../src/report/period.ts";

test.each([
  ["one day", { startDate: "2026-06-01", endDate: "2026-06-01" }, ["2026-06-01"]],
  [
    "the end of a month",
    { startDate: "2026-02-27", endDate: "2026-03-01" },
    ["2026-02-27", "2026-02-28", "2026-03-01"],
  ],
  ["an end before the start", { startDate: "2026-06-02", endDate: "2026-06-01" }, []],
])("the days of %s", (_, period, days) => {
  expect(daysOf(period)).toEqual(days);
});

test.each([
  ["thirty days", "2026-06-01", "2026-06-30", { startDate: "2026-05-02", endDate: "2026-05-31" }],
  ["a day", "2026-03-01", "2026-03-01", { startDate: "2026-02-28", endDate: "2026-02-28" }],
  ["the earliest that has one", "2026-01-15", "2026-01-15", { startDate: "2026-01-14", endDate: "2026-01-14" }],
  ["the first day with data", "2026-01-14", "2026-01-14", undefined],
])("the period before %s has its length, and begins no earlier than the data", (_, startDate, endDate, expected) => {
  expect(previousPeriod({ startDate, endDate })).toEqual(expected);
});

test("days become ranges, and ranges the same days", () => {
  const all = daysOf({ startDate: "2026-02-25", endDate: "2026-03-10" });
  fc.assert(
    fc.property(fc.subarray(all), (own) => {
      const ranges = rangesOf(own);
      expect(ranges.flatMap(daysOf)).toEqual(own);
      const gaps = ranges
        .slice(1)
        .map(({ startDate }, n) => daysOf({ startDate: ranges[n]?.endDate ?? "", endDate: startDate }));
      for (const gap of gaps) expect(gap.length).toBeGreaterThan(2);
    }),
    { numRuns: 100 },
  );
});

test("up to 62 days have a mark each; a longer period has weeks that begin on Monday", () => {
  const days = daysOf({ startDate: "2026-04-01", endDate: "2026-06-01" });
  expect(stepsOf(days)).toHaveLength(62);
  const longer = daysOf({ startDate: "2026-04-01", endDate: "2026-06-02" });
  const steps = stepsOf(longer);
  expect(steps[0]).toEqual({ start: 0, end: 5, length: 7 }); // a Wednesday
  expect(longer[steps[1]?.start ?? 0]).toBe("2026-04-06");
  expect(steps.at(-1)).toEqual({ start: 61, end: 63, length: 7 });
});

test("the marks cover every day once", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), (count) => {
      const days = daysOf({
        startDate: "2026-01-14",
        endDate: new Date(Date.UTC(2026, 0, 13 + count)).toISOString().slice(0, 10),
      });
      const marked = stepsOf(days).flatMap(({ start, end }) => days.slice(start, end));
      expect(marked).toEqual(days);
      expect(days).toHaveLength(count);
    }),
    { numRuns: 100 },
  );
});

test("the slices of a period are all of its days once, in parts of a length but for the last", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 40 }), (count, length) => {
      const endDate = new Date(Date.parse("2026-02-01") + (count - 1) * 86_400_000).toISOString().slice(0, 10);
      const period = { startDate: "2026-02-01", endDate };
      const slices = slicesOf(period, length).map(daysOf);
      expect(slices.flat()).toEqual(daysOf(period));
      expect(slices.slice(0, -1).every((days) => days.length === length)).toBe(true);
      expect(slices.at(-1)?.length).toBeLessThanOrEqual(length);
    }),
  );
});
