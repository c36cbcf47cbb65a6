import { expect, test } from "vitest";
import { type Coverage, coverageOf } from "../../src/report/coverage.ts";
import { type Figure, figuresOf } from "../../src/report/figures.ts";
import { creditsOf } from "../../src/report/parts.ts";
import { daysOf } from "../../src/report/period.ts";
import type { PeriodUsage, UsageReport } from "../../src/report/report.ts";
import { creditsRow, days, emptyReport } from "./rows.ts";

const before = { startDate: "2026-05-29", endDate: "2026-05-31" };
const people = (active: number) => ({
  users: active,
  active,
  totals: { credits: 60, sessions: 1, messages: 1, toolCalls: 1, commits: 1, pullRequests: 1 },
  top: [],
  rest: { users: 0, credits: 0, sessions: 0, messages: 0, toolCalls: 0, commits: 0, pullRequests: 0 },
});

/** Ten credits on each day that is there. */
function usageOf(own: readonly string[], absentDays: readonly string[], more: Partial<Coverage> = {}): PeriodUsage {
  const rows = own.filter((day) => !absentDays.includes(day)).map((day) => creditsRow(day, "m", 10));
  const coverage = coverageOf({ absentDays, ...more });
  return {
    period: { startDate: own[0] ?? "", endDate: own.at(-1) ?? "" },
    days: own,
    credits: creditsOf(rows, own),
    people: people(5),
    coverage: { credits: coverage, people: coverage },
  };
}

function figure(
  id: string,
  usage: PeriodUsage,
  previous: PeriodUsage,
  price?: UsageReport["price"],
): Figure | undefined {
  const report = { ...emptyReport, ...usage, previous, ...(price && { price }) };
  return figuresOf(report).find((one) => one.id === id);
}

const whole = usageOf(days, []);
const wholeBefore = usageOf(daysOf(before), []);
const gapBefore = usageOf(daysOf(before), ["2026-05-30"]);

test("a sum of as many days is compared as it is, and of other days by the mean of a day", () => {
  expect(figure("credits", whole, wholeBefore)).toMatchObject({ value: 30, previous: 30, changeText: "±0.0% from 30" });
  const compared = figure("credits", whole, gapBefore);
  expect(compared).toMatchObject({ value: 30, previous: 20, changeText: "±0.0% a day", gap: "" });
  expect(compared?.change).toBeCloseTo(0, 10);
});

test("different users are compared only between complete periods", () => {
  expect(figure("active_users", whole, wholeBefore)?.change).toBe(0);
  expect(figure("active_users", whole, gapBefore)?.change).toBeUndefined();
});

test("nothing is compared with a list that broke off", () => {
  const cut = usageOf(daysOf(before), [], { brokenOff: "missing cursor" });
  for (const id of ["credits", "active_users", "credits_per_active_user"]) {
    expect(figure(id, whole, cut)).toMatchObject({ changeText: "" });
    expect(figure(id, whole, cut)?.change).toBeUndefined();
  }
});

test("a price makes money of credits, and without one there is none", () => {
  const price = { perCredit: 0.5, currency: "EUR" };
  expect(figure("cost", whole, wholeBefore, price)).toMatchObject({ value: 15, text: "€15.00", previous: 15 });
  expect(figure("cost_per_active_user", whole, wholeBefore, price)).toMatchObject({ value: 6, text: "€6.00" });
  expect(figure("cost", whole, wholeBefore)).toBeUndefined();
});

test("a figure without data is there, without a value", () => {
  const [sessions] = figuresOf(emptyReport).filter(({ id }) => id === "sessions");
  expect(sessions).toMatchObject({ text: "–", note: "", changeText: "" });
  expect(sessions?.value).toBeUndefined();
});
