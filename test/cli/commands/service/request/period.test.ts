import fc from "fast-check";
import { expect, test } from "vitest";
import { periodOf } from "../../../../../src/cli/commands/service/request/period.ts";
import { UsageError } from "../../../../../src/cli/errors.ts";

const nowMs = Date.UTC(2026, 5, 15, 0, 0, 1);

test.each([
  { name: "the default is the last seven days with data", options: {}, period: ["2026-06-08", "2026-06-14"] },
  { name: "1d is yesterday", options: { since: "1d" }, period: ["2026-06-14", "2026-06-14"] },
  { name: "2w is fourteen days", options: { since: "2w" }, period: ["2026-06-01", "2026-06-14"] },
  { name: "a first day extends to yesterday", options: { since: "2026-06-10" }, period: ["2026-06-10", "2026-06-14"] },
  { name: "yesterday is a day", options: { since: "yesterday" }, period: ["2026-06-14", "2026-06-14"] },
  {
    name: "7d ends at --until",
    options: { since: "7d", until: "2026-03-01" },
    period: ["2026-02-23", "2026-03-01"],
  },
  { name: "--until alone means seven days", options: { until: "2026-03-01" }, period: ["2026-02-23", "2026-03-01"] },
  {
    name: "a number of days begins at the first with data",
    options: { since: "400d" },
    period: ["2026-01-14", "2026-06-14"],
  },
  { name: "99999 weeks do too", options: { since: "99999w" }, period: ["2026-01-14", "2026-06-14"] },
])("$name", ({ options, period: [startDate, endDate] }) => {
  expect(periodOf(options, nowMs)).toEqual({ startDate, endDate });
});

test.each([
  ["today has no data yet", { until: "today" }, /--until 2026-06-15 is today \(UTC\): data has a 24-hour lag/],
  ["today by its date has none either", { until: "2026-06-15" }, /is today/],
  ["today as the start has none either", { since: "today" }, /--since 2026-06-15 is today/],
  ["tomorrow is in the future", { until: "2026-06-16" }, /is in the future/],
  ["an end before the start is rejected", { since: "2026-06-10", until: "2026-06-01" }, /is after/],
  ["a day before the first is rejected", { since: "2026-01-13" }, /before 2026-01-14/],
  ["days that end before the first are rejected", { since: "3d", until: "2026-01-10" }, /before 2026-01-14/],
  ["a day that does not exist is rejected", { since: "2026-02-30" }, /--since must be a day/],
  ["24h is rejected with the reason", { since: "24h" }, /--since takes days, not hours/],
  ["zero days are rejected", { since: "0d" }, /must be a day/],
  ["7d is not an end", { until: "7d" }, /--until must be a day/],
  ["an empty text is not a day", { since: "" }, /must be a day/],
])("%s", (_, options, message) => {
  const attempt = () => periodOf(options, nowMs);
  expect(attempt).toThrow(UsageError);
  expect(attempt).toThrow(message);
});

test("a period has only days with data, and as many as requested", () => {
  const firstMs = Date.UTC(2026, 0, 16);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: firstMs, max: firstMs + 4e10 }), (count, at) => {
      const { startDate, endDate } = periodOf({ since: `${count}d` }, at);
      expect(Date.parse(endDate)).toBe(Math.floor(at / 864e5) * 864e5 - 864e5);
      const days = (Date.parse(endDate) - Date.parse(startDate)) / 864e5 + 1;
      expect(startDate === "2026-01-14" ? days <= count : days === count).toBe(true);
      expect(startDate >= "2026-01-14").toBe(true);
    }),
  );
});
