import { daysAfter, earliestDay } from "../service/arguments.ts";
import { dayMs } from "../text/time.ts";

/** Span of days, both inclusive, as `YYYY-MM-DD`, UTC. */
export interface Period {
  readonly startDate: string;
  readonly endDate: string;
}

/** Lists every day of a period, oldest first. */
export function listDays({ startDate, endDate }: Period): string[] {
  const count = Math.max(0, Math.round((Date.parse(endDate) - Date.parse(startDate)) / dayMs) + 1);
  return Array.from({ length: count }, (_, index) => daysAfter(startDate, index));
}

/** Splits a period into parts of `length` days, oldest first. The last part may be shorter. */
export function splitPeriod(period: Period, length: number): Period[] {
  const days = listDays(period);
  const starts = days.filter((_, index) => index % length === 0);
  return starts.map((startDate, index) => ({ startDate, endDate: days[(index + 1) * length - 1] ?? period.endDate }));
}

/** Computes the preceding period of the same length; undefined if it starts before the first day with data. */
export function previousPeriod(period: Period): Period | undefined {
  const startDate = daysAfter(period.startDate, -listDays(period).length);
  if (startDate < earliestDay) return undefined;
  return { startDate, endDate: daysAfter(period.startDate, -1) };
}

/**
 * Joins consecutive days into periods, oldest first.
 * @param days in ascending order, without duplicates
 */
export function groupRanges(days: readonly string[]): Period[] {
  const ranges: Period[] = [];
  for (const day of days) {
    const last = ranges.at(-1);
    if (last !== undefined && daysAfter(last.endDate, 1) === day) ranges[ranges.length - 1] = { ...last, endDate: day };
    else ranges.push({ startDate: day, endDate: day });
  }
  return ranges;
}

/** Range of days that one mark of a plot shows, as indices into the report's days. `end` is exclusive. */
export interface Step {
  readonly start: number;
  readonly end: number;
  /** Number of days in a full step: 1, or 7 if steps are weeks. */
  readonly length: number;
}

/** Longest period, in days, in which each day has its own mark. */
const maxDailyMarks = 62;

/**
 * Groups days into the marks of a plot: a mark per day, or in a long period a mark per week from Monday to Sunday. The
 * first and last week may be shorter.
 */
export function buildSteps(days: readonly string[]): Step[] {
  if (days.length <= maxDailyMarks) return days.map((_, index) => ({ start: index, end: index + 1, length: 1 }));
  const isMonday = (day: string): boolean => new Date(day).getUTCDay() === 1;
  const starts = days.flatMap((day, index) => (index === 0 || isMonday(day) ? [index] : []));
  return starts.map((start, index) => ({ start, end: starts[index + 1] ?? days.length, length: 7 }));
}
