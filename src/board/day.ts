import { localTime } from "../text/local-time.ts";
import { hourMs } from "../text/time.ts";

/** A local calendar day, `2026-11-22`. */
export type Day = string;

/** A span of time, Unix milliseconds; its end is not part of it. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** The local calendar day of an instant. A night belongs to two days: what is after midnight is the next one's. */
export function dayOf(atMs: number): Day {
  return localTime(atMs).slice(0, "2026-11-22".length);
}

/** The day `days` after another; before it for a negative number. */
export function addDays(day: Day, days: number): Day {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return dayOf(new Date(year, month - 1, date + days, 12).getTime());
}

/** Whether a text is a day that the calendar has. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && addDays(text, 0) === text;
}

/** From local midnight to local midnight: 23 or 25 hours where the clock is changed. */
export function spanOf(day: Day): Span {
  return { startMs: midnight(day), endMs: midnight(addDays(day, 1)) };
}

function midnight(day: Day): number {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date).getTime();
}

/** When the clock of a day shows the same time as at `atMs`, Unix milliseconds. */
export function sameTimeOn(day: Day, atMs: number): number {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  const time = new Date(atMs);
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds(), time.getMilliseconds()] as const;
  return new Date(year, month - 1, date, ...clock).getTime();
}

/**
 * The local hours of a span that can be divided by `every`, as the clock shows them; of an hour that comes twice, the
 * first.
 */
export function hoursIn({ startMs, endMs }: Span, every: number): { readonly atMs: number; readonly hour: number }[] {
  const quarterMs = 900_000; // some zones are off by quarters of an hour
  const hours = new Map<number, number>();
  for (let atMs = startMs; atMs < endMs; atMs += quarterMs) {
    const time = new Date(atMs);
    const hour = time.getHours();
    if (time.getMinutes() === 0 && hour % every === 0 && !hours.has(hour)) hours.set(hour, atMs);
  }
  return [...hours].map(([hour, atMs]) => ({ atMs, hour }));
}

/** Every how many hours a span is marked so that it has no more than `most` marks. */
export function hourStep({ startMs, endMs }: Span, most: number): number {
  const hours = (endMs - startMs) / hourMs;
  return [1, 2, 3, 6].find((every) => hours / every <= most) ?? 12;
}

/** The part of a span within another; none where they have nothing in common. */
export function clip(span: Span, within: Span): readonly Span[] {
  const startMs = Math.max(span.startMs, within.startMs);
  const endMs = Math.min(span.endMs, within.endMs);
  return startMs < endMs ? [{ startMs, endMs }] : [];
}

/** How long spans take together, milliseconds; where they overlap, the time counts once. */
export function unionMs(spans: readonly Span[]): number {
  let total = 0;
  let reachedMs = Number.NEGATIVE_INFINITY;
  for (const { startMs, endMs } of spans.toSorted((a, b) => a.startMs - b.startMs)) {
    total += Math.max(0, endMs - Math.max(startMs, reachedMs));
    reachedMs = Math.max(reachedMs, endMs);
  }
  return total;
}
