import { hourMs, localTime } from "../text/time.ts";

/** Local calendar day, `2026-11-22`. */
export type Day = string;

/** Span of time, Unix milliseconds; the end is exclusive. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** Returns the local calendar day of an instant. Midnight divides a night between two days. */
export function toDay(atMs: number): Day {
  return localTime(atMs).slice(0, "2026-11-22".length);
}

/** Adds a number of days to a day. The number may be negative. */
export function addDays(day: Day, days: number): Day {
  const noon = new Date(`${day}T12:00`);
  return toDay(noon.setDate(noon.getDate() + days));
}

/** Returns the span of a day, from local midnight to midnight. It has 23 or 25 hours if the clocks change. */
export function toSpan(day: Day): Span {
  return { startMs: Date.parse(`${day}T00:00`), endMs: Date.parse(`${addDays(day, 1)}T00:00`) };
}

/** Finds the instant on a day with the same local time of day as `atMs`, Unix milliseconds. */
export function sameTimeOn(day: Day, atMs: number): number {
  const time = new Date(atMs);
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds(), time.getMilliseconds()] as const;
  return new Date(`${day}T00:00`).setHours(...clock);
}

/** Lists the full local hours in a span that are divisible by `every`. An hour that occurs twice is listed once. */
export function hoursIn({ startMs, endMs }: Span, every: number): { readonly atMs: number; readonly hour: number }[] {
  const quarterMs = 900_000; // some time zones have offsets of quarter hours
  const hours = new Map<number, number>();
  for (let atMs = startMs; atMs < endMs; atMs += quarterMs) {
    const time = new Date(atMs);
    const hour = time.getHours();
    if (time.getMinutes() === 0 && hour % every === 0 && !hours.has(hour)) hours.set(hour, atMs);
  }
  return [...hours].map(([hour, atMs]) => ({ atMs, hour }));
}

/**
 * Chooses the number of hours between two marks: the smallest with which a span has about `maxMarks` marks, or else 12.
 */
export function hourStep({ startMs, endMs }: Span, maxMarks: number): number {
  const hours = (endMs - startMs) / hourMs;
  return [1, 2, 3, 6].find((every) => hours / every <= maxMarks) ?? 12;
}

/** Cuts a span to the part within another span; empty if the spans do not overlap. */
export function clip(span: Span, within: Span): readonly Span[] {
  const startMs = Math.max(span.startMs, within.startMs);
  const endMs = Math.min(span.endMs, within.endMs);
  return startMs < endMs ? [{ startMs, endMs }] : [];
}

/** Merges spans that overlap or touch. Returns them in order. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const { startMs, endMs } of spans.toSorted((a, b) => a.startMs - b.startMs)) {
    const last = merged.at(-1);
    if (!last || startMs > last.endMs) merged.push({ startMs, endMs });
    else merged[merged.length - 1] = { startMs: last.startMs, endMs: Math.max(last.endMs, endMs) };
  }
  return merged;
}

/** Adds up the durations of spans, milliseconds. Overlapping time counts once. */
export function unionMs(spans: readonly Span[]): number {
  return mergeSpans(spans).reduce((total, { startMs, endMs }) => total + endMs - startMs, 0);
}
