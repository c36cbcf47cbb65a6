/** Number of milliseconds in a minute. */
export const minuteMs = 60_000;

/** Number of milliseconds in an hour. */
export const hourMs = 60 * minuteMs;

/** Number of milliseconds in a day. */
export const dayMs = 24 * hourMs;

/** Milliseconds of each unit that a text may name, largest first. */
export const unitMs = { w: 7 * dayMs, d: dayMs, h: hourMs, m: minuteMs, s: 1_000, ms: 1 } as const;

const durationParts = /^(?!$)(?:\d{1,10}w)?(?:\d{1,10}d)?(?:\d{1,10}h)?(?:\d{1,10}m)?(?:\d{1,10}s)?(?:\d{1,10}ms)?$/;

/**
 * Parses whole numbers with given units, the largest first, such as `30m` or `1h30m`, to milliseconds; NaN for any other
 * text.
 */
export function parseDuration(text: string, units: readonly (keyof typeof unitMs)[]): number {
  if (!durationParts.test(text)) return Number.NaN;
  return [...text.matchAll(/(\d+)([a-z]+)/g)].reduce((sum, [, count, unit]) => {
    const known = units.find((name) => name === unit);
    return sum + (known === undefined ? Number.NaN : Number(count) * unitMs[known]);
  }, 0);
}

/** Returns the UTC day of an instant as `YYYY-MM-DD`. After the year 9999 the text is longer. */
export function utcDay(atMs: number): string {
  return new Date(atMs).toISOString().split("T", 1)[0] ?? "";
}

/** Tells if a text is an existing day as `YYYY-MM-DD`. 2026-02-30 is not. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && utcDay(ms) === text;
}

/** Formats a duration, rounded up, in seconds, minutes, or from three hours on in hours: `20 seconds`, `1 hour`. */
export function durationText(ms: number): string {
  const minutes = Math.ceil(ms / minuteMs);
  if (ms <= 90_000) return counted(Math.ceil(ms / 1000), "second");
  return minutes % 60 === 0 || minutes > 180 ? counted(Math.ceil(minutes / 60), "hour") : counted(minutes, "minute");
}

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

/** Formats a count, such as `1 event` or `2 events`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Joins names, followed by the number of names left out, if any: `shop, api, 3 more`. @param total number of all names */
export function joinNames(shown: readonly string[], total: number): string {
  return [...shown, ...(total > shown.length ? [`${total - shown.length} more`] : [])].join(", ");
}

/**
 * Longest delay of a Node timer, in milliseconds. A timer with a longer delay fires at once.
 * https://nodejs.org/api/timers.html#settimeoutcallback-delay-args
 */
export const longestTimerMs = 2 ** 31 - 1;
