import { expect, test } from "vitest";
import { localTime, shortDuration } from "../../src/text/time.ts";

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
