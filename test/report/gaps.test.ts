import { expect, test } from "vitest";
import { coverageOf } from "../../src/report/coverage.ts";
import { gapsOf, gapText, shortGapOf } from "../../src/report/gaps.ts";
import { daysOf } from "../../src/report/period.ts";
import { isComplete, type PeriodUsage } from "../../src/report/report.ts";
import { days, emptyReport } from "./rows.ts";

const before = { startDate: "2026-05-29", endDate: "2026-05-31" };
const previous = (coverage: PeriodUsage["coverage"], more: Partial<PeriodUsage> = {}): PeriodUsage => ({
  period: before,
  days: daysOf(before),
  coverage,
  ...more,
});

test.each([
  [{ absentDays: ["2026-06-01", "2026-06-03"] }, "no data for 2 of 3 days (1 Jun, 3 Jun)", "1 of 3 days"],
  [{ absentDays: days }, "no data for 3 of 3 days (1–3 Jun)", "no data"],
  [
    { answered: { startDate: "2026-06-02", endDate: "2026-06-03" } },
    "the service answered for 2 Jun 2026 to 3 Jun 2026 only",
    "not all days",
  ],
  [{ brokenOff: "empty cursor" }, "the service has more than it sent (empty cursor)", "list incomplete"],
  [{ brokenRows: 2 }, "2 rows could not be read, and are not counted", "without 2 rows"],
  [{ strayRows: 1 }, "1 row for other days is not counted", ""],
  [{ failure: { reason: "403 Forbidden", hint: "Ask." } }, "missing: 403 Forbidden", "no data"],
] as const)("%j is told in words", (known, text, short) => {
  const report = { ...emptyReport, coverage: { credits: coverageOf(known) } };
  expect(gapsOf(report).map(gapText)).toEqual([`Credits and tokens: ${text}`]);
  expect(shortGapOf(report, ["credits", "activity"])).toBe(short);
  expect(isComplete(report)).toBe(short === "");
});

test("gaps of the period before are told, and leave the report complete", () => {
  const credits = coverageOf({ absentDays: ["2026-05-30"] });
  const activity = coverageOf({ failure: { reason: "500" } });
  const report = { ...emptyReport, previous: previous({ credits, activity }) };
  expect(gapsOf(report).map(gapText)).toEqual([
    "Credits and tokens, period before: no data for 1 of 3 days (30 May)",
    "Activity, period before: missing: 500",
  ]);
  expect(isComplete(report)).toBe(true);
});

test("a period before of which the service knows nothing is no gap", () => {
  const nothing = coverageOf({ absentDays: daysOf(before) });
  expect(gapsOf({ ...emptyReport, previous: previous({ credits: nothing, activity: nothing }) })).toEqual([]);
});

test("of many days without data only the first ranges are named", () => {
  const own = daysOf({ startDate: "2026-06-01", endDate: "2026-06-30" });
  const odd = own.filter((_, n) => n % 2 === 0);
  const report = { ...emptyReport, days: own, coverage: { credits: coverageOf({ absentDays: odd }) } };
  expect(gapsOf(report)[0]?.text).toMatch(/^no data for 15 of 30 days \(1 Jun, .*, 11 Jun and 9 more\)$/);
});
