import { groupBy } from "../core/group-by.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { Coverage } from "./coverage.ts";
import { countText, numberText, periodText, spanText } from "./format.ts";
import { groupRanges } from "./period.ts";
import { dailyParts, type PartName, type PeriodUsage, partTitles, type UsageReport } from "./report.ts";
import { sum } from "./series.ts";

/** Description of data that the report lacks. */
interface Gap {
  readonly part: PartName;
  /** True for a gap in the previous period. */
  readonly isBefore: boolean;
  /** Description: a sentence without subject and full stop. */
  readonly text: string;
  /** Description for a reader who does not run the command; default: `text`. */
  readonly plainText?: string;
  /** Advice on what to do. */
  readonly hint?: string;
}

/**
 * Lists the gaps of a report: first those in the report's period, then those in the previous period, each group by
 * part.
 */
export function findGaps(report: UsageReport): Gap[] {
  const before = report.previous;
  // If nothing is known of the previous period, there is no comparison, and details would not help.
  const isUnknown =
    before === undefined ||
    names.every((name) => before[name] === undefined && before.coverage[name]?.failure === undefined);
  return [...gapsIn(report, false), ...(isUnknown ? [] : gapsIn(before, true))];
}

const names = Object.keys(partTitles) as PartName[];

/** Name of all parts that are made from daily rows together. */
const allDaily = "All daily data";

/** Lists the gaps of a report, with a gap that all daily parts share only once. `title` names the part. */
export function listGaps(report: UsageReport): (Gap & { readonly title: string })[] {
  const gaps = findGaps(report);
  return gaps.flatMap((gap) => {
    const same = gaps.filter(({ isBefore, text }) => isBefore === gap.isBefore && text === gap.text);
    const isShared = dailyParts.every((name) => same.some(({ part }) => part === name));
    if (!isShared || !(dailyParts as readonly PartName[]).includes(gap.part))
      return [{ ...gap, title: partTitles[gap.part] }];
    return gap.part === dailyParts[0] ? [{ ...gap, title: allDaily }] : [];
  });
}

/** Formats a gap as a sentence: the part, and what it lacks. */
export function gapText({ part, isBefore, text, title = partTitles[part] }: Gap & { readonly title?: string }): string {
  return `${title}${isBefore ? ", previous period" : ""}: ${text}`;
}

/** Formats the note on missing days that all daily parts share; empty if they differ. */
export function findSharedGap(usage: PeriodUsage): string {
  const notes = new Set(dailyParts.map((part) => formatShortGap(usage, [part])));
  return notes.size === 1 ? ([...notes][0] ?? "") : "";
}

/** Lists the parts that lack data, each with a short note; a note that all daily parts share is listed once. */
export function listShortGaps(report: PeriodUsage): (readonly [title: string, gap: string])[] {
  const shared = findSharedGap(report);
  const others = names.filter((part) => shared === "" || !(dailyParts as readonly PartName[]).includes(part));
  const own = others.map((part) => [partTitles[part], formatShortGap(report, [part])] as const);
  return [...(shared === "" ? [] : [[allDaily, shared] as const]), ...own.filter(([, gap]) => gap !== "")];
}

function gapsIn(usage: PeriodUsage, isBefore: boolean): Gap[] {
  const { coverage, days } = usage;
  return names.flatMap((part) => {
    const partCoverage = coverage[part];
    if (partCoverage === undefined) return [];
    const described = describeCoverage(partCoverage, days.length);
    const sums = findDisagreements(usage).filter((sum) => sum.part === part);
    const differing = sums.map((sum) => ({ text: describeDisagreement(sum) }));
    return [...described, ...differing, ...(part === "seats" ? describeIdle(usage) : [])].map((gap) => ({
      part,
      isBefore,
      ...gap,
    }));
  });
}

/** Says that idle users were idle on the days with data; empty if no day lacks data or the idle users are unknown. */
function describeIdle({ coverage, days, seats }: PeriodUsage): Pick<Gap, "text">[] {
  const absent = coverage.people?.absentDays.length ?? 0;
  if (seats?.idle === undefined || absent === 0) return [];
  return [{ text: `idle users were idle on the ${countText(days.length - absent, "days")} with data` }];
}

/** Maximum number of ranges of days in a list. */
const maxRanges = 6;

function describeCoverage(coverage: Coverage, days: number): Pick<Gap, "text" | "plainText" | "hint">[] {
  const { failure, absentDays, answered, brokenOff, brokenRows, strayRows, repeatedRows, changedRows } = coverage;
  const { unmatched = 0, unreadableDays = [] } = coverage;
  const missing = absentDays.filter((day) => !unreadableDays.includes(day));
  const unread = unreadableDays.length > 0 ? ` (all of ${rangesText(unreadableDays)})` : "";
  if (failure) {
    const { reason, plainReason, hint } = failure;
    return [omitUndefined({ text: `missing: ${reason}`, plainText: plainReason && `missing: ${plainReason}`, hint })];
  }
  const texts = [
    answered && `the service only has data for ${periodText(answered)}`,
    missing.length > 0 &&
      `no data for ${numberText(missing.length)} of ${countText(days, "days")} (${rangesText(missing)})`,
    brokenOff !== undefined && `the service did not send everything (${brokenOff})`,
    brokenRows > 0 &&
      `${countText(brokenRows, "rows")} could not be read and ${brokenRows === 1 ? "is" : "are"} not counted${unread}`,
    repeatedRows > 0 && describeRepeats(repeatedRows, changedRows),
    unmatched > 0 &&
      `${countText(unmatched, "active users")} ${unmatched === 1 ? "has" : "have"} neither an id nor an address of the organization’s users, so ${unmatched === 1 ? "an idle one" : "some idle ones"} may be active`,
    strayRows > 0 && `${countText(strayRows, "rows")} for other days ${strayRows === 1 ? "is" : "are"} not counted`,
  ];
  return texts.flatMap((text) => (text ? [{ text }] : []));
}

function describeRepeats(repeated: number, changed: number): string {
  const text = `${countText(repeated, "rows")} came twice and ${repeated === 1 ? "is" : "are"} counted once`;
  return changed === 0 ? text : `${text}; ${numberText(changed)} with other content, of which the last counts`;
}

function rangesText(days: readonly string[]): string {
  const ranges = groupRanges(days).map(({ startDate, endDate }) => spanText(startDate, endDate));
  const more = ranges.length - maxRanges;
  return more > 0 ? `${ranges.slice(0, maxRanges).join(", ")} and ${more} more` : ranges.join(", ");
}

/** Formats a short note on missing days, shown beside a figure: `22 of 30 days`; empty if nothing is missing. */
export function formatShortGap({ coverage, days }: PeriodUsage, parts: readonly PartName[]): string {
  const texts = parts.map((part) => shortGap(coverage[part], days.length));
  return [...new Set(texts.filter((text) => text !== ""))].join(", ");
}

/** Formats what a list or plot of a part lacks, and the totals to which its items do not add up. */
export function formatItemsGap(usage: PeriodUsage, part: PartName, isShown: (sum: Disagreement) => boolean): string {
  const differing = findDisagreements(usage).filter(isShown);
  const notes = differing.map(({ unit, total }) => `total: ${numberText(total)} ${unit}`);
  return [formatShortGap(usage, [part]), ...notes].filter(Boolean).join(", ");
}

/** Formats what the list of users lacks. */
export function formatPeopleGap(usage: PeriodUsage): string {
  return formatItemsGap(usage, "people", ({ items }) => items === "users");
}

function shortGap(coverage: Coverage | undefined, days: number): string {
  if (coverage === undefined || coverage.isComplete) return "";
  const { failure, absentDays, brokenOff, brokenRows, repeatedRows, unmatched } = coverage;
  const presentDays = days - absentDays.length;
  if (failure || (days > 0 && presentDays === 0)) return "no data";
  if (absentDays.length > 0) return `${presentDays} of ${days} days`;
  if (brokenOff !== undefined) return "list incomplete";
  if (brokenRows > 0) return `without ${countText(brokenRows, "rows")}`;
  if (unmatched !== undefined) return `${countText(unmatched, "active users")} without a seat`;
  return repeatedRows > 0 ? `${countText(repeatedRows, "rows")} came twice` : "not all days";
}

/** Total that the service gives, and a sum over users, models or tools that should equal it but differs. */
interface Disagreement {
  /** Id of the figure made from the total. */
  readonly figure: string;
  /** Part of the report that is made from the items. */
  readonly part: PartName;
  /** Ids of the plots that are made from the items. */
  readonly plots: readonly string[];
  /** Unit of both sums, in the plural. */
  readonly unit: string;
  /** Items that should add up to the total: users, models or tools. */
  readonly items: string;
  readonly total: number;
  readonly itemsTotal: number;
}

/** Greatest difference that needs no note, as a share of the greater sum. */
const maxDifference = 0.005;

/** A total and a sum that should be equal, without their values. */
type Subject = Omit<Disagreement, "total" | "itemsTotal">;
const modelSums: Subject = {
  figure: "credits",
  part: "credits",
  plots: ["credits", "tiers"],
  unit: "credits",
  items: "models",
};

const toolSums: Subject = {
  figure: "tool_calls",
  part: "toolUse",
  plots: ["tools"],
  unit: "tool calls",
  items: "tools",
};

/** Lists each total that a sum over users should equal, with its unit, its figure, and the daily values of both. */
function pairUserSums({ credits, activity, toolUse, productivity, people }: PeriodUsage) {
  const days = people?.byDay;
  return [
    ["credits", "credits", credits?.byDay, days?.credits],
    ["sessions", "sessions", activity?.sessions, days?.sessions],
    ["messages", "sessions", activity?.messages, days?.messages],
    ["tool calls", "tool_calls", toolUse?.calls, days?.toolCalls],
    ["commits", "commits", productivity?.commits, days?.commits],
    ["pull requests", "pull_requests", productivity?.pullRequests, days?.pullRequests],
  ] as const;
}

/** Finds the sums of users, models and tools that differ from the totals of the same days by more than 0.5%. */
export function findDisagreements(usage: PeriodUsage): Disagreement[] {
  const { credits, toolUse } = usage;
  const byUser = pairUserSums(usage).map(([unit, figure, { values = [] } = {}, own = []]): Disagreement => {
    const common = own.flatMap((value, index) => (value === null || (values[index] ?? null) === null ? [] : [index]));
    const total = sum(common.map((index) => values[index] ?? 0));
    const itemsTotal = sum(common.map((index) => own[index] ?? 0));
    return { figure, part: "people", plots: [], unit, items: "users", total, itemsTotal };
  });
  const byItem = [
    ...(credits ? [{ ...modelSums, total: credits.total, itemsTotal: credits.byModel.total }] : []),
    ...(toolUse ? [{ ...toolSums, total: toolUse.calls.total, itemsTotal: toolUse.tools.total }] : []),
  ];
  return [...byUser, ...byItem].filter(differs);
}

function differs({ total, itemsTotal }: Disagreement): boolean {
  return Math.abs(total - itemsTotal) > maxDifference * Math.max(Math.abs(total), Math.abs(itemsTotal));
}

/** Formats a disagreement as a sentence without full stop. */
export function describeDisagreement({ unit, items, total, itemsTotal }: Disagreement): string {
  return `${unit} of all ${items} add up to ${numberText(itemsTotal)}, but the total is ${numberText(total)}`;
}

/** Formats the notes of a figure whose total differs from a sum. Users and models with the same sum share a note. */
export function formatTotalNotes(usage: PeriodUsage, figure: string): string[] {
  const own = findDisagreements(usage).filter((each) => each.figure === figure);
  const sums = groupBy(own, ({ unit, itemsTotal }) => `${numberText(itemsTotal)} ${unit}`);
  return [...sums].map(([text, same]) => `sum of ${same.map(({ items }) => items).join(" and ")}: ${text}`);
}
