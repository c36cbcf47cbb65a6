import { daysAfter, earliestDay } from "../service/arguments.ts";
import { dayMs } from "../text/time.ts";

/** Span of days, both inclusive, as `YYYY-MM-DD`, UTC. */
export interface Period {
  readonly startDate: string;
  readonly endDate: string;
}

/** Lists every day of a period, oldest first. */
export function daysOf({ startDate, endDate }: Period): string[] {
  const count = Math.max(0, Math.round((Date.parse(endDate) - Date.parse(startDate)) / dayMs) + 1);
  return Array.from({ length: count }, (_, n) => daysAfter(startDate, n));
}

/** Splits a period into parts of a number of days, oldest first; the last may be shorter. */
export function slicesOf(period: Period, length: number): Period[] {
  const days = daysOf(period);
  const starts = days.filter((_, n) => n % length === 0);
  return starts.map((startDate, n) => ({ startDate, endDate: days[(n + 1) * length - 1] ?? period.endDate }));
}

/** Computes the preceding period of the same length; undefined if it starts before the first day with data. */
export function previousPeriod(period: Period): Period | undefined {
  const startDate = daysAfter(period.startDate, -daysOf(period).length);
  if (startDate < earliestDay) return undefined;
  return { startDate, endDate: daysAfter(period.startDate, -1) };
}

/** Groups consecutive days to periods, oldest first. @param days in ascending order, without repeats */
export function rangesOf(days: readonly string[]): Period[] {
  const ranges: Period[] = [];
  for (const day of days) {
    const last = ranges.at(-1);
    if (last !== undefined && daysAfter(last.endDate, 1) === day) ranges[ranges.length - 1] = { ...last, endDate: day };
    else ranges.push({ startDate: day, endDate: day });
  }
  return ranges;
}

/** Days that share one mark of a plot, as indices into the report's days. `end` is exclusive. */
export interface Step {
  readonly start: number;
  readonly end: number;
  /** Days of a whole step: 1, or 7 for weeks. */
  readonly length: number;
}

/** Longest period, in days, in which each day has its own mark. */
const maxDailyMarks = 62;

/**
 * Groups days to the marks of a plot: days, or in a long period weeks from Monday to Sunday; the first and last week
 * may be shorter.
 */
export function stepsOf(days: readonly string[]): Step[] {
  if (days.length <= maxDailyMarks) return days.map((_, n) => ({ start: n, end: n + 1, length: 1 }));
  const isMonday = (day: string): boolean => new Date(day).getUTCDay() === 1;
  const starts = days.flatMap((day, n) => (n === 0 || isMonday(day) ? [n] : []));
  return starts.map((start, n) => ({ start, end: starts[n + 1] ?? days.length, length: 7 }));
}
