import fc from "fast-check";
import { expect, test } from "vitest";
import { UsageError } from "../../../../../src/cli/errors.ts";
import { periodOf } from "../../../../../src/cli/commands/service/request/period.ts";

const nowMs = Date.UTC(2026, 5, 15, 0, 0, 1);

test.each([
  { name: "nothing is the last seven days with data", options: {}, period: ["2026-06-08", "2026-06-14"] },
  { name: "1d is yesterday", options: { since: "1d" }, period: ["2026-06-14", "2026-06-14"] },
  { name: "2w is fourteen days", options: { since: "2w" }, period: ["2026-06-01", "2026-06-14"] },
  { name: "a day goes to yesterday", options: { since: "2026-06-10" }, period: ["2026-06-10", "2026-06-14"] },
  { name: "yesterday is a day", options: { since: "yesterday" }, period: ["2026-06-14", "2026-06-14"] },
  {
    name: "7d end where --until says",
    options: { since: "7d", until: "2026-03-01" },
    period: ["2026-02-23", "2026-03-01"],
  },
  { name: "--until alone has seven days", options: { until: "2026-03-01" }, period: ["2026-02-23", "2026-03-01"] },
  {
    name: "more days than there are begin at the first",
    options: { since: "400d" },
    period: ["2026-01-14", "2026-06-14"],
  },
  { name: "so do 99999 weeks", options: { since: "99999w" }, period: ["2026-01-14", "2026-06-14"] },
])("$name", ({ options, period: [startDate, endDate] }) => {
  expect(periodOf(options, nowMs)).toEqual({ startDate, endDate });
});

test.each([
  ["today has no data yet", { until: "today" }, /--until 2026-06-15 is today \(UTC\): data has a 24-hour lag/],
  ["today by its date neither", { until: "2026-06-15" }, /is today/],
  ["today as the start neither", { since: "today" }, /--since 2026-06-15 is today/],
  ["tomorrow is yet to come", { until: "2026-06-16" }, /is yet to come/],
  ["an end before the start is refused", { since: "2026-06-10", until: "2026-06-01" }, /is after/],
  ["a day before the first is refused", { since: "2026-01-13" }, /before 2026-01-14/],
  ["days that end before the first too", { since: "3d", until: "2026-01-10" }, /before 2026-01-14/],
  ["a day that does not exist is none", { since: "2026-02-30" }, /--since must be a day/],
  ["24h are refused with the reason", { since: "24h" }, /--since goes by days, not hours/],
  ["no days are none", { since: "0d" }, /must be a day/],
  ["7d is no end", { until: "7d" }, /--until must be a day/],
  ["nothing is no day", { since: "" }, /must be a day/],
])("%s", (_, options, message) => {
  const attempt = () => periodOf(options, nowMs);
  expect(attempt).toThrow(UsageError);
  expect(attempt).toThrow(message);
});

test("a period never has a day without data, and has as many days as asked for", () => {
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
