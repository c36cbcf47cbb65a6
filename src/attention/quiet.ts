import type { Kind } from "../core/vocabulary.ts";

export const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof weekdays)[number];

/** Hours in which messages wait. */
export interface QuietHours {
  /** Minutes since midnight on the clock of `zone`; an end before the start is the next day's. */
  readonly at: { readonly from: number; readonly to: number };
  /** Days on which they begin: a night belongs to the day on which it begins. Absent: every day. */
  readonly days?: readonly Weekday[] | undefined;
  /** IANA time zone; absent: this machine's. */
  readonly zone?: string | undefined;
  readonly hold: readonly Kind[];
  /** Names of the notifiers they are for. Absent: all that are for a person. */
  readonly notifiers?: readonly string[] | undefined;
}

const minuteMs = 60_000;
const dayMinutes = 24 * 60;
/** Longest quiet hours, and an hour that a clock may be set back meanwhile. */
const maxMinutes = 25 * 60;

/**
 * When quiet hours that hold a message end, Unix milliseconds; undefined outside them. By the clock on the wall, so
 * that they end at the same hour on the days on which it is changed.
 */
export function quietUntilMs({ at, days, zone }: Omit<QuietHours, "hold">, nowMs: number): number | undefined {
  const clock = wallClock(zone);
  const isQuiet = (ms: number): boolean => isWithin(clock(ms), at, days);
  if (!isQuiet(nowMs)) return undefined;
  const thisMinuteMs = nowMs - (nowMs % minuteMs);
  for (let minutes = 1; minutes <= maxMinutes; minutes += 1) {
    if (!isQuiet(thisMinuteMs + minutes * minuteMs)) return thisMinuteMs + minutes * minuteMs;
  }
  return thisMinuteMs + dayMinutes * minuteMs; // quiet all week: asked again tomorrow
}

interface WallTime {
  readonly day: Weekday;
  readonly minute: number;
}

function isWithin({ day, minute }: WallTime, { from, to }: QuietHours["at"], days: QuietHours["days"]): boolean {
  const beginsOn = (one: Weekday): boolean => days === undefined || days.includes(one);
  if (from < to) return minute >= from && minute < to && beginsOn(day);
  return (minute >= from && beginsOn(day)) || (minute < to && beginsOn(dayBefore(day)));
}

function dayBefore(day: Weekday): Weekday {
  return weekdays[(weekdays.indexOf(day) + weekdays.length - 1) % weekdays.length] ?? day;
}

/** The clock on the wall of a time zone. @throws {RangeError} for a zone that the system does not know */
export function wallClock(zone: string | undefined): (ms: number) => WallTime {
  const format = new Intl.DateTimeFormat("en-US", {
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    ...(zone !== undefined && { timeZone: zone }),
  });
  return (ms) => {
    const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    const day = weekdays.find((one) => one === parts["weekday"]?.toLowerCase()) ?? "mon";
    return { day, minute: Number(parts["hour"]) * 60 + Number(parts["minute"]) };
  };
}
