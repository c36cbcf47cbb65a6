import { expect, test } from "vitest";
import { dayMs, hourMs, isDay, localTime, parseDuration, shortDuration, utcDay } from "../../src/text/time.ts";

test("a duration is whole numbers with allowed units, the largest first", () => {
  expect(parseDuration("90m", ["m"])).toBe(1.5 * hourMs);
  expect(parseDuration("2w", ["d", "w"])).toBe(14 * dayMs);
  expect(parseDuration("1h30m", ["h", "m"])).toBe(1.5 * hourMs);
  const wrong = ["", "m", "90", "90 m", "-1m", "1.5m", "1m30m", "90s", "90M", "90m\n", `${"9".repeat(11)}m`];
  expect(wrong.map((text) => parseDuration(text, ["m", "h"]))).toEqual(wrong.map(() => Number.NaN));
});

test("a UTC day begins at midnight in Greenwich, whatever the machine's zone", () => {
  const midnightMs = Date.UTC(2026, 10, 22);
  expect([utcDay(midnightMs - 1), utcDay(midnightMs)]).toEqual(["2026-11-21", "2026-11-22"]);
});

test("a day is a calendar day, written as YYYY-MM-DD", () => {
  expect(["2026-11-22", "2026-02-29", "2026-13-01", "22.11.2026"].map(isDay)).toEqual([true, false, false, false]);
});

test("an instant is shown in local time, any other text unchanged", () => {
  expect(localTime(new Date(2026, 10, 1, 4, 5, 6).toISOString())).toBe("2026-11-01 04:05:06");
  expect(localTime("soon")).toBe("soon");
});

test.each([
  [-5, "0 ms"],
  [850, "850 ms"],
  [12_400, "12 s"],
  [300_000, "5 min"],
  [3 * 3_600_000, "3 h"],
  [49 * 3_600_000, "2 d"],
])("%i ms are %s", (ms, text) => expect(shortDuration(ms)).toBe(text));
