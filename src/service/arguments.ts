import * as z from "zod";

/** First day with analytics. */
export const earliestDay = "2026-01-14";
export const maxLimit = 100;

const dayMessage = "must be a calendar day as YYYY-MM-DD, or a Date (its UTC day is taken)";

/** A day, UTC. Gives `YYYY-MM-DD`. */
export const day = z
  .union([z.date(), z.string()], { error: dayMessage })
  .transform((value) => (typeof value === "string" ? value : dayOf(value.getTime())))
  .refine(isDay, dayMessage);

/** The UTC day of an instant as `YYYY-MM-DD`; one beyond the year 9999 gives a longer text, which is no day. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().split("T", 1)[0] ?? "";
}

/** Whether a text is a day that exists: 2026-02-30 is not. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && dayOf(ms) === text;
}

/** Days from `startDate` to `endDate`, both included. */
export const days = {
  startDate: day.describe("First day, UTC."),
  endDate: day.describe("Last day, UTC: yesterday at the latest."),
};

const limitMessage = `must be a whole number from 1 to ${maxLimit}`;
const text = (what: string) => z.string({ error: `must be ${what}` }).min(1, `must be ${what}`);

/** Items a page, 1 to 100; the service takes 20 without it. */
export const limit = z
  .int({ error: limitMessage })
  .min(1, limitMessage)
  .max(maxLimit, limitMessage)
  .optional()
  .describe("Items a page, 1 to 100; the service takes 20 without it.");
export const positiveLimit = z
  .int({ error: "must be a whole number, 1 or more" })
  .min(1, "must be 1 or more")
  .optional()
  .describe("Items a page, 1 or more.");
export const cursor = text("the cursor of a page")
  .optional()
  .describe("Where a page begins: the cursor that the one before it gave.");
export const startAfter = text("a report's id").optional().describe("The id of the report after which a page begins.");
export const repoId = text("a repository's id").optional().describe("Only this repository's.");
export const computerId = text("a computer's id").describe("The computer to ask or connect to.");

/** A text of `min` to `max` characters (code points, as JSON Schema counts). */
export function lengthBetween(min: number, max: number) {
  const message = `must be a text of ${min} to ${max} characters`;
  const fits = (value: string): boolean => value.length <= 2 * max && [...value].length <= max && value.length >= min;
  return z.string({ error: message }).refine(fits, message).meta({ minLength: min, maxLength: max });
}
