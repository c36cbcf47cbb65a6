import { counted } from "./counted.ts";

/** Number of milliseconds in a minute. */
export const minuteMs = 60_000;

/** Number of milliseconds in an hour. */
export const hourMs = 60 * minuteMs;

/** Number of milliseconds in a day. */
export const dayMs = 24 * hourMs;

/** Milliseconds of each unit that a text may name, largest first. */
export const unitMs = { w: 7 * dayMs, d: dayMs, h: hourMs, m: minuteMs, s: 1_000, ms: 1 } as const;

/** Parses a whole number with one of the given units, such as `30m`, to milliseconds; NaN for any other text. */
export function parseDuration(text: string, units: readonly (keyof typeof unitMs)[]): number {
  const [, count, unit] = /^(\d{1,10})([a-z]{1,2})$/.exec(text) ?? [];
  const known = units.find((name) => name === unit);
  return known === undefined ? Number.NaN : Number(count) * unitMs[known];
}

/** Returns the UTC day of an instant as `YYYY-MM-DD`. After the year 9999 the text is longer. */
export function utcDay(atMs: number): string {
  return new Date(atMs).toISOString().split("T", 1)[0] ?? "";
}

/** Formats a duration, rounded up, in seconds, minutes, or from three hours on in hours: `20 seconds`, `1 hour`. */
export function durationText(ms: number): string {
  const minutes = Math.ceil(ms / minuteMs);
  if (ms <= 90_000) return counted(Math.ceil(ms / 1000), "second");
  return minutes % 60 === 0 || minutes > 180 ? counted(Math.ceil(minutes / 60), "hour") : counted(minutes, "minute");
}
