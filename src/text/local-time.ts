import { dayMs, hourMs, minuteMs } from "./time.ts";

/**
 * Formats an instant in local time: `2026-11-21 04:52:23`. Returns other texts, even a date without time, unchanged.
 */
export function localTime(at: string | number): string {
  if (typeof at === "string" && !/\d:\d\d/.test(at)) return at;
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return String(at);
  const pad = (part: number): string => String(part).padStart(2, "0");
  const day = [time.getFullYear(), pad(time.getMonth() + 1), pad(time.getDate())].join("-");
  return `${day} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(pad).join(":")}`;
}

/** Formats an instant as a local time of day. Adds the date unless it is today, and seconds unless they are 0. */
export function clockTime(atMs: number, nowMs: number): string {
  const [[day = "", time = ""], [today]] = [localTime(atMs).split(" "), localTime(nowMs).split(" ")];
  const short = time.endsWith(":00") ? time.slice(0, -":00".length) : time;
  return day === today ? short : `${day} ${short}`;
}

/** Formats a duration rounded to one unit: `850 ms`, `12 s`, `5 min`, `3 h`, `2 d`. Negative durations count as 0. */
export function shortDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const steps = [
    [minuteMs, 1_000, "s"],
    [hourMs, minuteMs, "min"],
    [dayMs, hourMs, "h"],
    [Number.POSITIVE_INFINITY, dayMs, "d"],
  ] as const;
  const [, unitMs, unit] = steps.find(([below]) => ms < below) ?? steps[3];
  return `${Math.round(ms / unitMs)} ${unit}`;
}
