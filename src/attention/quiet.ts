import { dayMs, minuteMs } from "../text/time.ts";

/** Names of the days in the configuration, Monday first. */
export const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
type Weekday = (typeof weekdays)[number];

/** Hours of the day in which messages are held. */
interface QuietHours {
  /** Start and end, in minutes since midnight in `zone`. If the end is before the start, it is on the next day. */
  readonly at: { readonly from: number; readonly to: number };
  /** Days on which the quiet hours start; default: every day. The hours after midnight belong to the previous day. */
  readonly days?: readonly Weekday[] | undefined;
  /** IANA time zone; absent: this machine's time zone. */
  readonly zone?: string | undefined;
}

/** Longest possible quiet hours, in minutes: a day, plus an hour for a clock change. */
const maxMinutes = 25 * 60;

/**
 * Returns the end of the current quiet hours, Unix milliseconds; undefined outside quiet hours. Follows the local
 * clock, so that quiet hours end at the same hour even on days with a clock change.
 */
export function quietUntilMs({ at, days, zone }: QuietHours, nowMs: number): number | undefined {
  const clock = wallClock(zone);
  const isQuiet = (ms: number): boolean => isWithin(clock(ms), at, days);
  if (!isQuiet(nowMs)) return undefined;
  const thisMinuteMs = nowMs - (nowMs % minuteMs);
  for (let minutes = 1; minutes <= maxMinutes; minutes += 1) {
    if (!isQuiet(thisMinuteMs + minutes * minuteMs)) return thisMinuteMs + minutes * minuteMs;
  }
  return thisMinuteMs + dayMs; // quiet all week: check again tomorrow
}

interface WallTime {
  readonly day: Weekday;
  readonly minute: number;
}

function isWithin({ day, minute }: WallTime, { from, to }: QuietHours["at"], days: QuietHours["days"]): boolean {
  const beginsOn = (day: Weekday): boolean => days === undefined || days.includes(day);
  if (from < to) return minute >= from && minute < to && beginsOn(day);
  const dayBefore = weekdays.at(weekdays.indexOf(day) - 1) ?? day;
  return (minute >= from && beginsOn(day)) || (minute < to && beginsOn(dayBefore));
}

/** Returns a function that reads the local time in a zone. @throws {RangeError} if the system does not know the zone */
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
    const day = weekdays.find((weekday) => weekday === parts["weekday"]?.toLowerCase()) ?? "mon";
    return { day, minute: Number(parts["hour"]) * 60 + Number(parts["minute"]) };
  };
}
