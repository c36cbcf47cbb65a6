import { afterEach, beforeEach, expect, test } from "vitest";
import { addDays, clip, dayOf, hoursIn, isDay, sameTimeOn, spanOf, unionMs } from "../../src/board/day.ts";

const hourMs = 3_600_000;
let zone: string | undefined;
beforeEach(() => {
  zone = process.env["TZ"];
  process.env["TZ"] = "Europe/Berlin";
});
afterEach(() => {
  if (zone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zone;
});

test("a day goes from local midnight to local midnight, 23 or 25 hours where the clock is changed", () => {
  const hours = (day: string) => (spanOf(day).endMs - spanOf(day).startMs) / hourMs;
  expect([hours("2026-11-22"), hours("2026-03-29"), hours("2026-10-25")]).toEqual([24, 23, 25]);
  expect(new Date(spanOf("2026-10-25").startMs).toISOString()).toBe("2026-10-24T22:00:00.000Z");
  expect(new Date(spanOf("2026-10-25").endMs).toISOString()).toBe("2026-10-25T23:00:00.000Z");
});

test("a night is not one day's: what is after midnight belongs to the next", () => {
  expect(dayOf(Date.parse("2026-11-22T22:59:59Z"))).toBe("2026-11-22");
  expect(dayOf(Date.parse("2026-11-22T23:00:00Z"))).toBe("2026-11-23");
});

test("days follow each other over changes of the clock, months and years", () => {
  expect([addDays("2026-03-28", 1), addDays("2026-03-29", 1)]).toEqual(["2026-03-29", "2026-03-30"]);
  expect([addDays("2026-10-25", 1), addDays("2027-01-01", -1)]).toEqual(["2026-10-26", "2026-12-31"]);
});

test("where midnight does not exist, a day begins with its first moment", () => {
  process.env["TZ"] = "America/Santiago";
  const { startMs, endMs } = spanOf("2026-09-06");
  expect([dayOf(startMs), dayOf(startMs - 1), (endMs - startMs) / hourMs]).toEqual(["2026-09-06", "2026-09-05", 23]);
});

test("the same time of another day is what its clock shows", () => {
  const atMs = Date.parse("2026-10-27T08:30:00Z"); // 09:30 in winter
  expect(new Date(sameTimeOn("2026-10-20", atMs)).toISOString()).toBe("2026-10-20T07:30:00.000Z");
});

test("the hours of a day are those of its clock", () => {
  const hours = (day: string) => hoursIn(spanOf(day), 1).map(({ hour }) => hour);
  expect(hours("2026-03-29")).not.toContain(2);
  expect(hours("2026-10-25")).toEqual(Array.from({ length: 24 }, (_, hour) => hour));
  expect(hoursIn(spanOf("2026-11-22"), 6).map(({ hour }) => hour)).toEqual([0, 6, 12, 18]);
});

test.each([
  ["2026-11-22", true],
  ["2026-02-29", false],
  ["2026-13-01", false],
  ["22.11.2026", false],
])("%s is a day: %s", (text, expected) => expect(isDay(text)).toBe(expected));

test("spans are cut to others, and their union counts once what they share", () => {
  const span = (startMs: number, endMs: number) => ({ startMs, endMs });
  expect(clip(span(0, 10), span(5, 20))).toEqual([span(5, 10)]);
  expect(clip(span(0, 5), span(5, 20))).toEqual([]);
  expect(unionMs([span(0, 10), span(5, 8), span(9, 12), span(20, 21)])).toBe(13);
});
