import { expect, test } from "vitest";
import { dayMs, hourMs, parseDuration, utcDay } from "../../src/text/time.ts";

test("a duration is a whole number and an allowed unit", () => {
  expect(parseDuration("90m", ["m"])).toBe(1.5 * hourMs);
  expect(parseDuration("2w", ["d", "w"])).toBe(14 * dayMs);
  const wrong = ["", "m", "90", "90 m", "-1m", "1.5m", "1m30m", "90s", "90M", "90m\n", `${"9".repeat(11)}m`];
  expect(wrong.map((text) => parseDuration(text, ["m", "h"]))).toEqual(wrong.map(() => Number.NaN));
});

test("a UTC day begins at midnight in Greenwich, whatever the machine's zone", () => {
  const midnightMs = Date.UTC(2026, 10, 22);
  expect([utcDay(midnightMs - 1), utcDay(midnightMs)]).toEqual(["2026-11-21", "2026-11-22"]);
});
