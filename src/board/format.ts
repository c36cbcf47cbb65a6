import { agentTitle } from "../agents/registry.ts";
import type { KnownLimit } from "../attention/usage-limits.ts";
import { englishCatalogue } from "../config/catalogues.ts";
import { once } from "../core/once.ts";
import { describeUsageLimit } from "../core/usage-limit.ts";
import { folderName } from "../files/paths.ts";
import { localTime } from "../text/time.ts";
import type { Day } from "./day.ts";

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];
// Each is created on first use, which takes up to 13 ms.
const shortDay = once(() => new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" }));
const grouped = once(() => new Intl.NumberFormat("en", { maximumFractionDigits: 0 }));
const compact = once(() => new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 }));

/** Formats a duration: `40 s`, `12 min`, `1 h 05 min`. */
export function spentText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(ms / 60_000);
  if (minutes < 60) return `${minutes} min`;
  return `${grouped().format(Math.floor(minutes / 60))} h ${String(minutes % 60).padStart(2, "0")} min`;
}

/** Formats a number, rounded: `1,234`. */
export function wholeNumberText(value: number): string {
  return grouped().format(value);
}

/** Smallest number that is shortened. */
const minShortened = 10_000;

/** Formats a number in a few characters: `9,876`, `23.5K`, `1.06M`. */
export function shortNumberText(value: number): string {
  return value < minShortened ? wholeNumberText(value) : compact().format(value);
}

function toNoon(day: Day): Date {
  return new Date(`${day}T12:00`);
}

/** Formats a day: `Sunday 22 November 2026`. */
export function longDayText(day: Day): string {
  const date = toNoon(day);
  return `${weekdays[date.getDay()]} ${date.getDate()} ${months[date.getMonth()]} ${date.getFullYear()}`;
}

/** Formats a day briefly: `Sun 22 Nov`. */
export function shortDayText(day: Day): string {
  return shortDay().format(toNoon(day)).replace(",", "");
}

/** Formats a weekday in the plural: `Sundays`. */
export function weekdaysText(day: Day): string {
  return `${weekdays[toNoon(day).getDay()]}s`;
}

/** Formats an instant as local time of day: `09:30`. */
export function timeText(atMs: number): string {
  return localTime(atMs).slice("2026-11-22 ".length, "2026-11-22 09:30".length);
}

/** Describes a usage limit, with its agent, and with the account's folder if the agent has several accounts. */
export function limitText(limit: KnownLimit, all: readonly KnownLimit[], nowMs: number): string {
  const { agent, account } = limit;
  const hasSeveral = all.some((other) => other.agent === agent && other.account !== account);
  const name = [agentTitle(agent), ...(hasSeveral ? [`(${folderName(account)})`] : [])].join(" ");
  return `${name}: ${describeUsageLimit(limit, englishCatalogue, nowMs)}`;
}
