import type { Period } from "./period.ts";

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const twoDecimals = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const percent = new Intl.NumberFormat("en", { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const fullDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const instant = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });

/** Smallest number written with an exponent, because not all digits of greater numbers are exact. */
const maxPlainNumber = 1e15;

/** Formats a number: `1,234,567`. Numbers below 100 have up to two decimals. */
export function numberText(value: number): string {
  if (Math.abs(value) >= maxPlainNumber) return value.toExponential(2);
  return (Math.abs(value) < 100 ? fine : whole).format(value);
}

/** Formats a number for axes and other narrow places: `1.23M`. */
export function shortNumber(value: number): string {
  return Math.abs(value) >= maxPlainNumber ? value.toExponential(0) : short.format(value);
}

/** Smallest key figure that is shortened. */
const minBriefNumber = 100_000;
const threeDigits = { notation: "compact", minimumSignificantDigits: 3, maximumSignificantDigits: 3 } as const;
const brief = new Intl.NumberFormat("en", threeDigits);

/** Formats a number in three digits: `2.50 B`; below 100,000 in full. */
export function briefNumber(value: number): string {
  const size = Math.abs(value);
  if (size < minBriefNumber || size >= maxPlainNumber) return numberText(size < 10 ? value : Math.round(value));
  return brief.format(value).replace(/[A-Z]$/, "\u00a0$&");
}

/** Formats a part of a whole: `12.3%`; `0.0%` if the whole is 0. */
export function shareText(part: number, whole: number): string {
  return percent.format(whole === 0 ? 0 : part / whole);
}

/**
 * Formats a count: `1 commit`, `2 commits`.
 * @param unit in the plural
 */
export function countText(value: number, unit: string): string {
  return `${numberText(value)} ${value === 1 ? unit.replace(/s$/, "") : unit}`;
}

/** Formats the mean of daily numbers: `1,234`. A mean below 1 has up to two decimals, others are whole numbers. */
export function meanText(total: number, days: number): string {
  const average = total / Math.max(1, days);
  return numberText(average < 1 ? average : Math.round(average));
}

/** Formats a quotient with two decimals: `3.40`. From 100 on, formats it without decimals. */
export function ratioText(value: number): string {
  return Math.abs(value) < 100 ? twoDecimals.format(value) : numberText(value);
}

/**
 * Formats money: `€1,234.50`, or `1,234.50` without a currency; below 1 with up to four significant digits.
 * @param currency ISO 4217 code, may be empty
 */
export function moneyText(value: number, currency: string): string {
  const digits = Math.abs(value) < 1 && value !== 0 ? { maximumSignificantDigits: 4 } : { maximumFractionDigits: 2 };
  const style = currency === "" ? {} : ({ style: "currency", currency } as const);
  return new Intl.NumberFormat("en", { minimumFractionDigits: 2, ...digits, ...style }).format(value);
}

/** Formats money in three digits: `€25.4 M`; below 100,000, or without a currency, in full. */
export function briefMoney(value: number, currency: string): string {
  if (currency === "" || Math.abs(value) < minBriefNumber || Math.abs(value) >= maxPlainNumber)
    return moneyText(value, currency);
  const text = new Intl.NumberFormat("en", { ...threeDigits, style: "currency", currency }).format(value);
  return text.replace(/[A-Z]$/, "\u00a0$&");
}

/** Formats a change: `+12.3%`, `−4.0%`, `±0.0%`; 0.1 is 10% more. From tenfold on, formats the factor: `×12`. */
export function changeText(change: number): string {
  if (change >= 9) return `×${numberText(Math.round(change + 1))}`;
  const text = percent.format(Math.abs(change));
  return `${text === percent.format(0) ? "±" : change > 0 ? "+" : "−"}${text}`;
}

/** Formats a difference of shares: `+12.3 points`. */
export function pointsText(difference: number): string {
  const points = Math.abs(difference * 100).toFixed(1);
  return `${points === "0.0" ? "±" : difference > 0 ? "+" : "−"}${points} points`;
}

/** Formats `YYYY-MM-DD` as `3 Nov`. */
export function dayText(text: string): string {
  return day.format(new Date(text));
}

function fullDayText(text: string): string {
  return fullDay.format(new Date(text));
}

/** Formats a period: `3 Nov 2026 to 9 Nov 2026`; a single day is `3 Nov 2026`. */
export function periodText({ startDate, endDate }: Period): string {
  return startDate === endDate ? fullDayText(startDate) : `${fullDayText(startDate)} to ${fullDayText(endDate)}`;
}

/** Formats a span of days: `3–9 Nov`, `30 Nov – 6 Dec`; a single day is `3 Nov`. */
export function spanText(first: string, last: string): string {
  if (first === last) return dayText(first);
  if (first.slice(0, 7) === last.slice(0, 7)) return `${Number(first.slice(8))}–${dayText(last)}`;
  return `${dayText(first)} – ${dayText(last)}`;
}

/** Formats an instant: `3 Nov 2026, 14:05 UTC`. */
export function instantText(iso: string): string {
  return `${instant.format(new Date(iso))} UTC`;
}

/** Formats a number of days: `30 days, UTC`, or `22 of 30 days have data, UTC` if some lack data. */
export function daysText(covered: number, requested: number): string {
  return covered === requested
    ? `${countText(requested, "days")}, UTC`
    : `${numberText(covered)} of ${countText(requested, "days")} have data, UTC`;
}
