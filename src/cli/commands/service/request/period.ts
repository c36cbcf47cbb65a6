import { dayOf, earliestDay, isDay } from "../../../../service/arguments.ts";
import { checkSpan } from "../../../../service/days.ts";
import { ArgumentError } from "../../../../service/error.ts";
import { UsageError } from "../../../errors.ts";

/** Days, both included: `YYYY-MM-DD`, UTC. */
export interface Period {
  readonly startDate: string;
  readonly endDate: string;
}

const dayMs = 86_400_000;
const unitDays: Readonly<Record<string, number>> = { d: 1, w: 7 };
const forms = "A day as 2026-06-01, yesterday, or for --since a number of days or weeks as 7d or 4w.";

/** What holds where nothing is said. */
export const defaultSince = "7d";

/**
 * The days from `since` to `until`, as far as there is data: a day's is there the day after it (UTC). `7d` are the seven
 * days that end at `until`, of those before the first day with data none.
 * @param options texts of the command line; default the seven days to yesterday
 * @throws {UsageError} for a text that is no day, today or later, and a start after the end
 */
export function periodOf(options: { since?: string; until?: string }, nowMs: number): Period {
  const endDate = dayNamed(options.until ?? "yesterday", "--until", nowMs);
  const period = { startDate: startOf(options.since ?? defaultSince, endDate, nowMs), endDate };
  try {
    checkSpan(period, nowMs);
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    const message = error.message.replace("`startDate`", "--since").replace("`endDate`", "--until");
    throw new UsageError(message, forms);
  }
  // The service may make something of it; nobody who types it does.
  if (period.startDate > endDate) {
    throw new UsageError(`--since ${period.startDate} is after --until ${endDate}`, forms);
  }
  return period;
}

function startOf(since: string, endDate: string, nowMs: number): string {
  const [, count, unit = ""] = /^([1-9]\d{0,4})([dw])$/.exec(since) ?? [];
  if (count === undefined) return dayNamed(since, "--since", nowMs);
  const back = Number(count) * (unitDays[unit] ?? 1) - 1;
  const start = dayOf(Date.parse(endDate) - back * dayMs);
  return start < earliestDay && earliestDay <= endDate ? earliestDay : start;
}

function dayNamed(text: string, option: string, nowMs: number): string {
  if (text === "today") return dayOf(nowMs);
  if (text === "yesterday") return dayOf(nowMs - dayMs);
  if (isDay(text)) return text;
  const isHours = /^\d+h$/.test(text);
  throw new UsageError(isHours ? `${option} goes by days, not hours` : `${option} must be a day`, forms);
}
