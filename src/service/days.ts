import { dayOf, earliestDay } from "./arguments.ts";
import { ArgumentError } from "./error.ts";

const dayMs = 86_400_000;

/**
 * Refuses a span of days the service has no data for, before it is asked.
 * @param span checked `YYYY-MM-DD` texts
 * @throws {ArgumentError} with the reason: before the first day, today or later, or start after end
 */
export function checkSpan({ startDate, endDate }: { startDate: string; endDate: string }, nowMs: number): void {
  if (startDate > endDate) {
    throw new ArgumentError("startDate", `\`startDate\` ${startDate} is after \`endDate\` ${endDate}`);
  }
  if (startDate < earliestDay) {
    throw new ArgumentError(
      "startDate",
      `\`startDate\` ${startDate} is before ${earliestDay}, the first day with data`,
    );
  }
  const today = dayOf(nowMs);
  if (endDate < today) return;
  const when = endDate === today ? "is today (UTC)" : "is yet to come";
  const latest = dayOf(nowMs - dayMs);
  const why = `data has a 24-hour lag, a day is there the day after it happens; the latest is ${latest}`;
  throw new ArgumentError("endDate", `\`endDate\` ${endDate} ${when}: ${why}`);
}
