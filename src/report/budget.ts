import { daysAfter, earliestDay } from "../service/arguments.ts";
import { listDays, type Period } from "./period.ts";
import type { PeriodUsage, UsageReport } from "./report.ts";
import { sum } from "./series.ts";

/** Credits that the organization plans to use in a calendar month. */
export interface BudgetPlan {
  readonly credits: number;
}

/** Use of a month's budget up to the report's last day, and a forecast to the month's end. All amounts are credits. */
export interface Budget {
  /** Whole calendar month of the report's last day. */
  readonly month: Period;
  readonly budget: number;
  /** Credits of the month's days with data. */
  readonly used: number;
  /** Days of the month up to the report's last day without data. */
  readonly absentDays: number;
  /** Mean credits per day over the last days with data, at most 28 days; `dailyDays` is the number of these days. */
  readonly daily: number;
  readonly dailyDays: number;
  /** `used`, plus the mean for each day without data and each day to come. */
  readonly forecast: number;
  /**
   * Day of the month on which the budget is used up: a past day, or a coming day if each day uses the mean. Absent if
   * the budget lasts the month.
   */
  readonly usedUpOn?: string;
}

/** Number of days in the daily mean: whole weeks, because weekends differ. */
const meanDays = 28;

/**
 * Returns the days whose credits a budget needs: the month up to `lastDay`, or the 28 days up to it if these start
 * earlier.
 */
export function listBudgetDays(lastDay: string): Period {
  const starts = [`${lastDay.slice(0, 7)}-01`, daysAfter(lastDay, 1 - meanDays)].sort();
  const startDate = starts[0] ?? lastDay;
  return { startDate: startDate < earliestDay ? earliestDay : startDate, endDate: lastDay };
}

/** Finds the budget's days before the first day that the report requested; undefined if all were requested. */
export function findMissingDays(report: UsageReport) {
  const { startDate, endDate } = listBudgetDays(report.period.endDate);
  const first = report.previous?.period.startDate ?? report.period.startDate;
  return startDate < first
    ? { startDate, endDate: daysAfter(first, -1) < endDate ? daysAfter(first, -1) : endDate }
    : undefined;
}

/** Maps each day with data to its credits. */
export function mapCredits(usages: readonly (PeriodUsage | undefined)[]): Map<string, number> {
  const pairs = usages.flatMap((usage) =>
    (usage?.days ?? []).flatMap((day, index) => {
      const value = usage?.credits?.byDay.values[index] ?? null;
      return value === null ? [] : [[day, value] as const];
    }),
  );
  return new Map(pairs);
}

/** Computes the use of a budget from the credits of each day with data; undefined without any such day. */
export function computeBudget(
  { credits: budget }: BudgetPlan,
  lastDay: string,
  byDay: ReadonlyMap<string, number>,
): Budget | undefined {
  const month = findMonth(lastDay);
  const known = listDays(listBudgetDays(lastDay)).filter((day) => byDay.has(day));
  const recent = known.slice(-meanDays);
  if (recent.length === 0) return undefined;
  const daily = sum(recent.map((day) => byDay.get(day) ?? 0)) / recent.length;
  const monthDays = listDays(month);
  const used = sum(monthDays.map((day) => (day > lastDay ? 0 : (byDay.get(day) ?? 0))));
  const absentDays = monthDays.filter((day) => day <= lastDay && !byDay.has(day)).length;
  const ahead = monthDays.filter((day) => day > lastDay).length;
  let running = 0;
  const usedUpOn = monthDays.find((day) => {
    running += day <= lastDay ? (byDay.get(day) ?? daily) : daily;
    return running >= budget;
  });
  return {
    month,
    budget,
    used,
    absentDays,
    daily,
    dailyDays: recent.length,
    forecast: used + daily * (absentDays + ahead),
    ...(usedUpOn !== undefined && { usedUpOn }),
  };
}

function findMonth(day: string): Period {
  const [year = 0, month = 1] = day.split("-").map(Number);
  const endDate = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
  return { startDate: `${day.slice(0, 7)}-01`, endDate };
}
