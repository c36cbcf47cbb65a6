/** Milliseconds of a day. */
export const oneDayMs = 86_400_000;
/** First day for which the service can have data. */
export const firstDay = "2026-01-14";

/** Counts the days from 1970 to an existing `YYYY-MM-DD`; undefined for any other text. */
export function dayNumber(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(ms) || toDayText(ms / oneDayMs) !== text ? undefined : ms / oneDayMs;
}

/** Formats a day, counted from 1970, as `YYYY-MM-DD`. */
export function toDayText(day: number): string {
  return new Date(day * oneDayMs).toISOString().slice(0, 10);
}
