import { expect, test } from "vitest";
import { isDue } from "../../src/core/due.ts";

const nowMs = 1_700_000_000_000;
const hourMs = 3_600_000;

test.each([
  ["now", 0, true],
  ["a moment ago", -1, true],
  ["in a moment", 1, false],
  ["in a day, the longest delay there is, and a fifth of it", 28.8 * hourMs, false],
  ["in two days, by a clock that was wrong", 48 * hourMs, true],
  ["in years", 1e12, true],
  ["never", Number.NaN, true],
  ["for ever", Number.POSITIVE_INFINITY, true],
])("what is due %s", (_, inMs, due) => {
  expect(isDue(nowMs + inMs, nowMs)).toBe(due);
});
