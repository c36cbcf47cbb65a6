import fc from "fast-check";
import { expect, test } from "vitest";
import { daysOf, stepsOf } from "../../src/report/period.ts";

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

test("up to 62 days have a mark each; a longer period has weeks that begin on Monday", () => {
  const days = daysOf({ startDate: "2026-04-01", endDate: "2026-06-01" });
  expect(stepsOf(days)).toHaveLength(62);
  const longer = daysOf({ startDate: "2026-04-01", endDate: "2026-06-02" });
  const steps = stepsOf(longer);
  expect(steps[0]).toEqual({ start: 0, end: 5 }); // a Wednesday
  expect(longer[steps[1]?.start ?? 0]).toBe("2026-04-06");
  expect(steps.at(-1)).toEqual({ start: 61, end: 63 });
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
