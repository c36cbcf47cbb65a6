import * as z from "zod";
import { dayMs, isDay, utcDay } from "../text/time.ts";
import { ArgumentError } from "./error.ts";

/** First day with analytics data. */
export const earliestDay = "2026-01-14";

const dayMessage = "must be a calendar day as YYYY-MM-DD, or a Date (its UTC day is taken)";

const day = z
  .union([z.date(), z.string()], { error: dayMessage })
  .transform((value) => (typeof value === "string" ? value : utcDay(value.getTime())))
  .refine(isDay, dayMessage);

/** Formats an instant's UTC day as `YYYY-MM-DD`. After the year 9999 the text is longer, and `isDay` rejects it. */
export const dayOf = utcDay;

/** Adds a number of days to a day; both are `YYYY-MM-DD`. */
export function daysAfter(day: string, count: number): string {
  return utcDay(Date.parse(day) + count * dayMs);
}

/** Query parameters for the first and last day of a span. A Date is parsed to its UTC day, `YYYY-MM-DD`. */
export const days = {
  startDate: day.meta({ description: "First day, UTC.", format: "date" }),
  endDate: day.meta({ description: "Last day, UTC: yesterday at the latest.", format: "date" }),
};

/**
 * Rejects a span that contains days without data, before anything is sent. A span may have any length.
 * @param span days as `YYYY-MM-DD`
 * @throws {ArgumentError} for a day before the first with data, today, in the future, and a start after the end
 */
export function checkSpan(span: { startDate: string; endDate: string }, nowMs: number): void {
  const today = utcDay(nowMs);
  for (const name of ["startDate", "endDate"] as const) {
    const value = span[name];
    if (value < earliestDay) {
      throw new ArgumentError(name, `\`${name}\` ${value} is before ${earliestDay}, the first day with data`);
    }
    if (value < today) continue;
    const when = value === today ? "is today (UTC)" : "is in the future";
    const why = `data has a 24-hour lag; the latest day is ${utcDay(nowMs - dayMs)}`;
    throw new ArgumentError(name, `\`${name}\` ${value} ${when}: ${why}`);
  }
  const { startDate, endDate } = span;
  if (startDate <= endDate) return;
  throw new ArgumentError("startDate", `\`startDate\` ${startDate} is after \`endDate\` ${endDate}`);
}

const text = (what: string) => z.string({ error: `must be ${what}` }).min(1, `must be ${what}`);

export const cursor = text("the cursor of a page")
  .optional()
  .describe("Fetch the page with this cursor, which the previous page gave.");
export const startAfter = text("a report's id").optional().describe("Start after the report with this id.");
export const repoId = text("a repository's id").optional().describe("Only reports of the repository with this id.");
export const computerId = text("a computer's id").describe("Id of the computer to start the session on.");

/** Makes a schema for a text of `min` to `max` characters, counted in code points as JSON Schema does. */
export function lengthBetween(min: number, max: number) {
  const message = `must be a text of ${min} to ${max} characters`;
  const fits = (value: string): boolean => value.length <= 2 * max && [...value].length <= max && value.length >= min;
  return z.string({ error: message }).refine(fits, message).meta({ minLength: min, maxLength: max });
}
