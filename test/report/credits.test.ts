import fc from "fast-check";
import { expect, test } from "vitest";
import { creditsOf, otherModels } from "../../src/report/credits.ts";
import { creditsRows, days, sumOf } from "./rows.ts";

test("every number is the sum of the rows", () => {
  fc.assert(
    fc.property(creditsRows, (rows) => {
      const credits = creditsOf(rows, days);
      const total = sumOf(rows, (row) => row.billable_tokens);
      expect(credits.total).toBe(total);
      expect(credits.inputTokens).toBe(sumOf(rows, (row) => row.input_tokens));
      expect(credits.outputTokens).toBe(sumOf(rows, (row) => row.output_tokens));
      expect(credits.byModel.total).toBe(total);
      expect(sumOf(credits.byModel.top, ({ count }) => count) + credits.byModel.rest.count).toBe(total);
      expect(sumOf(credits.modelsByDay, (series) => series.total)).toBe(total);
      days.forEach((day, n) => {
        const ofDay = sumOf(
          rows.filter(({ date }) => date === day),
          (row) => row.billable_tokens,
        );
        expect(credits.byDay.values[n]).toBe(ofDay);
        expect(sumOf(credits.modelsByDay, ({ values }) => values[n] ?? 0)).toBe(ofDay);
      });
    }),
    { numRuns: 200 },
  );
});

test("six models have a series of their own, the others one together", () => {
  const rows = Array.from({ length: 9 }, (_, n) => ({
    date: days[n % 3] ?? "",
    group_key: `model-${n}`,
    billable_tokens: 100 - n,
    input_tokens: 0,
    output_tokens: 0,
  }));
  const names = creditsOf(rows, days).modelsByDay.map(({ name, total }) => [name, total]);
  expect(names.slice(0, 2)).toEqual([
    ["model-0", 100],
    ["model-1", 99],
  ]);
  expect(names).toHaveLength(7);
  expect(names.at(-1)).toEqual([otherModels, 94 + 93 + 92]);
});
