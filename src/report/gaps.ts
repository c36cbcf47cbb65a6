import type { Coverage } from "./coverage.ts";
import { counted, numberText, periodText, spanText } from "./format.ts";
import { rangesOf } from "./period.ts";
import { type PartName, type PeriodUsage, partTitles, type UsageReport } from "./report.ts";

/** Something that the report lacks, in words. */
export interface Gap {
  readonly part: PartName;
  /** Whether it is the period before that lacks it. */
  readonly isBefore: boolean;
  /** What is missing: a sentence without its subject and full stop. */
  readonly text: string;
  /** What to do about it. */
  readonly hint?: string;
}

/** Everything that is missing from a report, part by part: first of its period, then of the one before. */
export function gapsOf(report: UsageReport): Gap[] {
  const before = report.previous;
  // Where nothing at all is known of the period before, there is no comparison, and that is all.
  const isUnknown =
    before === undefined || names.every((name) => before[name] === undefined && !hasFailed(before, name));
  return [...gapsIn(report, false), ...(isUnknown ? [] : gapsIn(before, true))];
}

const names = Object.keys(partTitles) as PartName[];

function hasFailed({ coverage }: PeriodUsage, part: PartName): boolean {
  return coverage[part]?.failure !== undefined;
}

/** A gap as a sentence: which part, and what it lacks. */
export function gapText({ part, isBefore, text }: Gap): string {
  return `${partTitles[part]}${isBefore ? ", period before" : ""}: ${text}`;
}

function gapsIn({ coverage, days }: PeriodUsage, isBefore: boolean): Gap[] {
  return names.flatMap((part) => {
    const own = coverage[part];
    if (own === undefined) return [];
    return sentencesOf(own, days.length).map((gap) => ({ part, isBefore, ...gap }));
  });
}

/** Most ranges of days that are named. */
const maxRanges = 6;

function sentencesOf(coverage: Coverage, days: number): Pick<Gap, "text" | "hint">[] {
  const { failure, absentDays, answered, brokenOff, brokenRows, strayRows } = coverage;
  if (failure)
    return [{ text: `missing: ${failure.reason}`, ...(failure.hint !== undefined && { hint: failure.hint }) }];
  const texts = [
    answered && `the service answered for ${periodText(answered)} only`,
    absentDays.length > 0 &&
      `no data for ${numberText(absentDays.length)} of ${counted(days, "days")} (${rangesText(absentDays)})`,
    brokenOff !== undefined && `the service has more than it sent (${brokenOff})`,
    brokenRows > 0 &&
      `${counted(brokenRows, "rows")} could not be read, and ${brokenRows === 1 ? "is" : "are"} not counted`,
    strayRows > 0 && `${counted(strayRows, "rows")} for other days ${strayRows === 1 ? "is" : "are"} not counted`,
  ];
  return texts.flatMap((text) => (text ? [{ text }] : []));
}

function rangesText(days: readonly string[]): string {
  const ranges = rangesOf(days).map(({ startDate, endDate }) => spanText(startDate, endDate));
  const more = ranges.length - maxRanges;
  return more > 0 ? `${ranges.slice(0, maxRanges).join(", ")} and ${more} more` : ranges.join(", ");
}

/** What parts of a period lack, in a few words to stand beside a figure: `22 of 30 days`; empty where nothing does. */
export function shortGapOf({ coverage, days }: PeriodUsage, parts: readonly PartName[]): string {
  const texts = parts.map((part) => shortGap(coverage[part], days.length));
  return [...new Set(texts.filter((text) => text !== ""))].join(", ");
}

function shortGap(coverage: Coverage | undefined, days: number): string {
  if (coverage === undefined || coverage.isComplete) return "";
  const { failure, absentDays, brokenOff, brokenRows } = coverage;
  const there = days - absentDays.length;
  if (failure || (days > 0 && there === 0)) return "no data";
  if (absentDays.length > 0) return `${there} of ${days} days`;
  if (brokenOff !== undefined) return "list incomplete";
  return brokenRows > 0 ? `without ${counted(brokenRows, "rows")}` : "not all days";
}
