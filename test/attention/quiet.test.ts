import { describe, expect, test } from "vitest";
import { quietUntilMs } from "../../src/attention/quiet.ts";

const night = { at: { from: 22 * 60, to: 7 * 60 + 30 }, zone: "Europe/Berlin" };
const ms = (iso: string) => Date.parse(iso);
const until = (hours: Parameters<typeof quietUntilMs>[0], iso: string) => {
  const end = quietUntilMs(hours, ms(iso));
  return end === undefined ? undefined : new Date(end).toISOString();
};

describe("quiet hours from 22:00 to 07:30 in Berlin", () => {
  test.each([
    ["a minute before the start", "2026-11-20T21:59:59+01:00", undefined],
    ["at the start", "2026-11-20T22:00:00+01:00", "2026-11-21T06:30:00.000Z"],
    ["after midnight", "2026-11-21T03:12:34+01:00", "2026-11-21T06:30:00.000Z"],
    ["in the last minute", "2026-11-21T07:29:59+01:00", "2026-11-21T06:30:00.000Z"],
    ["at the end", "2026-11-21T07:30:00+01:00", undefined],
    ["during the clock change to summer time", "2027-03-27T23:00:00+01:00", "2027-03-28T05:30:00.000Z"],
    ["during the clock change to winter time", "2026-10-24T23:00:00+02:00", "2026-10-25T06:30:00.000Z"],
    ["in the repeated hour, the first time", "2026-10-25T02:30:00+02:00", "2026-10-25T06:30:00.000Z"],
    ["in the repeated hour, the second time", "2026-10-25T02:30:00+01:00", "2026-10-25T06:30:00.000Z"],
  ])("%s", (_, at, end) => {
    expect(until(night, at)).toBe(end);
  });
});

describe("quiet hours on Friday night", () => {
  const friday = { ...night, days: ["fri" as const] };
  test.each([
    ["begins on Friday", "2026-11-20T23:00:00+01:00", true],
    ["lasts until Saturday", "2026-11-21T05:00:00+01:00", true],
    ["does not begin on Saturday", "2026-11-21T23:00:00+01:00", false],
    ["ignore Thursday's end on Friday", "2026-11-20T05:00:00+01:00", false],
  ])("%s", (_, at, isQuiet) => {
    expect(until(friday, at) !== undefined).toBe(isQuiet);
  });
});

test("quiet hours of one day end on the same day", () => {
  const lunch = { at: { from: 12 * 60, to: 13 * 60 }, zone: "America/New_York" };
  expect(until(lunch, "2026-11-20T12:30:00-05:00")).toBe("2026-11-20T18:00:00.000Z");
  expect(until(lunch, "2026-11-20T13:00:00-05:00")).toBeUndefined();
});
