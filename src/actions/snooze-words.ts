import type { Silence } from "../attention/silences.ts";
import { UsageError } from "../core/errors.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { clockTime, shortDuration } from "../text/local-time.ts";
import { dayMs, parseDuration } from "../text/time.ts";

/** Fields that limit what a silence applies to. An absent field matches everything. */
export type SilenceScope = Pick<Silence, "project" | "session" | "notifier">;

/**
 * Parses the end of a snooze to Unix milliseconds: after a duration (`1h`), or at the next time of day on this
 * machine's clock (`until 14:00`).
 * @throws {UsageError} for any other text, and for more than a day
 */
export function parseSnooze(text: string, nowMs: number): number {
  const durationMs = parseDuration(text, ["s", "m", "h"]);
  if (durationMs > 0 && durationMs <= dayMs) return nowMs + durationMs;
  const untilMs = text.startsWith("until ") ? nextTimeOfDay(text.slice(6), nowMs) : undefined;
  if (untilMs !== undefined) return untilMs;
  throw new UsageError(
    `${JSON.stringify(text)} is not a time`,
    "Use a duration from 1s to 24h such as `30m` or `1h`, a time such as `until 14:00`, or `off`.",
  );
}

/** Returns when the clock next shows a time such as `14:00`, Unix milliseconds; undefined for any other text. */
export function nextTimeOfDay(text: string, nowMs: number): number | undefined {
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hour === undefined) return undefined;
  const time = new Date(nowMs);
  time.setHours(Number(hour), Number(minute), 0, 0);
  if (time.getTime() <= nowMs) {
    time.setDate(time.getDate() + 1);
    time.setHours(Number(hour), Number(minute), 0, 0);
  }
  return time.getTime();
}

/** True if a silence has all the requested fields. */
export function hasScope(silence: Silence, { project, session, notifier }: SilenceScope): boolean {
  const asked = Object.entries(omitUndefined({ project, session, notifier }));
  return asked.every(([key, value]) => silence[key as keyof SilenceScope] === value);
}

/** Describes a silence: `until 14:00 (59 min), project shop, notifier phone`. */
export function silenceText({ untilMs, project, session, notifier }: Omit<Silence, "atMs">, nowMs: number): string {
  const named = Object.entries(omitUndefined({ project, session, notifier })).map(
    ([key, value]) => `, ${key} ${value}`,
  );
  return `until ${clockTime(untilMs, nowMs)} (${shortDuration(untilMs - nowMs)})${named.join("")}`;
}

/** Builds the fields of a silence for `--json`. */
export function silenceJson({ untilMs, project, session, notifier }: Silence) {
  return { untilAt: new Date(untilMs).toISOString(), ...omitUndefined({ project, session, notifier }) };
}
