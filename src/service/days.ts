import { dayOf, earliestDay } from "./arguments.ts";
import { ArgumentError } from "./error.ts";

const dayMs = 86_400_000;

/**
 * Refuses days the service has no data for, before it is asked. The longest span, and what comes of a `startDate` after
 * the `endDate`, is not shown: both go to the service.
 * @param span checked `YYYY-MM-DD` texts
 * @throws {ArgumentError} with the reason: before the first day, today, or yet to come
 */
export function checkSpan(span: { startDate: string; endDate: string }, nowMs: number): void {
  const today = dayOf(nowMs);
  for (const name of ["startDate", "endDate"] as const) {
    const day = span[name];
    if (day < earliestDay) {
      throw new ArgumentError(name, `\`${name}\` ${day} is before ${earliestDay}, the first day with data`);
    }
    if (day < today) continue;
    const when = day === today ? "is today (UTC)" : "is yet to come";
    const latest = dayOf(nowMs - dayMs);
    const why = `data has a 24-hour lag, a day is there the day after it happens; the latest is ${latest}`;
    throw new ArgumentError(name, `\`${name}\` ${day} ${when}: ${why}`);
  }
}
