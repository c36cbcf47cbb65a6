import { UsageError } from "../../../../core/errors.ts";
import type { Period } from "../../../../report/period.ts";
import { checkSpan, daysAfter, earliestDay } from "../../../../service/arguments.ts";
import { ArgumentError } from "../../../../service/error.ts";
import { dayMs, isDay, parseDuration, utcDay } from "../../../../text/time.ts";

const hint =
  "Use a day such as 2026-06-01, or yesterday. --since also takes a number of days or weeks, such as 7d or 4w.";

/** Default of `--since`. */
export const defaultSince = "7d";

/**
 * Parses the days from `since` to `until`, UTC. `7d` means the seven days that end with `until`. A period of that form
 * is shortened if it starts before the first day with data.
 * @param options texts of the command line; default: the seven days that end with yesterday, the last day with data
 * @throws {UsageError} for an invalid day, a day without data, or a start after the end
 */
export function parsePeriod(options: { since?: string; until?: string }, nowMs: number): Period {
  const endDate = parseDay(options.until ?? "yesterday", "--until", nowMs);
  const period = { startDate: parseStart(options.since ?? defaultSince, endDate, nowMs), endDate };
  try {
    checkSpan(period, nowMs);
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    const message = error.message.replace("`startDate`", "--since").replace("`endDate`", "--until");
    throw new UsageError(message, hint);
  }
  return period;
}

/**
 * Returns a remark if `--since` asks for days before the first day with data; otherwise an empty list.
 * @param period result of `parsePeriod` for the options
 */
export function cutRemark(options: { readonly since?: unknown }, { startDate, endDate }: Period): string[] {
  const { since = defaultSince } = options;
  const asked = typeof since === "string" ? daysIn(since) : undefined;
  if (asked === undefined || startDate !== earliestDay || daysAfter(startDate, asked - 1) <= endDate) return [];
  return [`The data begins on ${earliestDay}, so --since ${since} starts there.`];
}

function parseStart(since: string, endDate: string, nowMs: number): string {
  const days = daysIn(since);
  if (days === undefined) return parseDay(since, "--since", nowMs);
  const start = daysAfter(endDate, 1 - days);
  return start < earliestDay && earliestDay <= endDate ? earliestDay : start;
}

/** Returns the number of days in `7d` or `4w`; undefined for any other text. */
function daysIn(since: string): number | undefined {
  const days = parseDuration(since, ["d", "w"]) / dayMs;
  return days > 0 && days < 1_000_000 ? days : undefined;
}

function parseDay(text: string, option: string, nowMs: number): string {
  if (text === "today") return utcDay(nowMs);
  if (text === "yesterday") return utcDay(nowMs - dayMs);
  if (isDay(text)) return text;
  const isHours = /^\d+h$/.test(text);
  throw new UsageError(isHours ? `${option} takes days, not hours` : `${option} must be a day`, hint);
}
