/** Days from the first to the last, both included, `YYYY-MM-DD`, UTC. */
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

/** Days that stand for one mark of a plot, as indices into the report's days; `end` is the first that is not in it. */
export interface Step {
  readonly start: number;
  readonly end: number;
}

/** The longest period of which every day gets a mark of its own. */
export const mostDays = 62;

/** The marks of a plot over days: each day, or in a long period each week from Monday to Sunday, cut at both ends. */
export function stepsOf(days: readonly string[]): Step[] {
  if (days.length <= mostDays) return days.map((_, n) => ({ start: n, end: n + 1 }));
  const isMonday = (day: string): boolean => new Date(day).getUTCDay() === 1;
  const starts = days.flatMap((day, n) => (n === 0 || isMonday(day) ? [n] : []));
  return starts.map((start, n) => ({ start, end: starts[n + 1] ?? days.length }));
}
