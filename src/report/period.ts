/** A span of days, both ends included, as `YYYY-MM-DD`, UTC. */
export interface Period {
  readonly startDate: string;
  readonly endDate: string;
}

const dayMs = 86_400_000;

/** Every day of a period, oldest first. */
export function daysOf({ startDate, endDate }: Period): string[] {
  const startMs = Date.parse(startDate);
  const count = Math.max(0, Math.round((Date.parse(endDate) - startMs) / dayMs) + 1);
  return Array.from({ length: count }, (_, n) => new Date(startMs + n * dayMs).toISOString().slice(0, 10));
}

/** The days that share one mark of a plot, as indices into the report's days. `end` is not included. */
export interface Step {
  readonly start: number;
  readonly end: number;
}

/** Longest period, in days, in which each day has its own mark. */
const maxDailyMarks = 62;

/** The marks of a plot: days, or in a long period weeks from Monday to Sunday; the first and last week may be shorter. */
export function stepsOf(days: readonly string[]): Step[] {
  if (days.length <= maxDailyMarks) return days.map((_, n) => ({ start: n, end: n + 1 }));
  const isMonday = (day: string): boolean => new Date(day).getUTCDay() === 1;
  const starts = days.flatMap((day, n) => (n === 0 || isMonday(day) ? [n] : []));
  return starts.map((start, n) => ({ start, end: starts[n + 1] ?? days.length }));
}
