import { type FigureDefinition, figureTable } from "./figure-table.ts";
import {
  briefMoney,
  briefNumber,
  changeText,
  countText,
  meanText,
  moneyText,
  numberText,
  pointsText,
  ratioText,
  shareText,
} from "./format.ts";
import { formatShortGap, formatTotalNotes } from "./gaps.ts";
import type { PeriodUsage, UsageReport } from "./report.ts";
import type { Seats } from "./seats.ts";
import { computeCost } from "./section.ts";

/** Figure of a report, with its change and its gaps. */
export interface Figure extends Pick<FigureDefinition, "id" | "title" | "group" | "definition"> {
  /** Amount of money, share from 0 to 1, ratio or count; absent if the service has no data. */
  readonly value?: number;
  /** Value of the previous period. */
  readonly previous?: number;
  /**
   * Change from the previous value, as a share: 0.1 is 10% more; of a percentage, the difference: 0.1 is 10 points.
   * Absent if the two values cannot be compared.
   */
  readonly change?: number;
  /** Values that `change` compares: those of the periods, their daily means, or two percentages. */
  readonly basis?: "value" | "day" | "points";
  /** `value` as text; a dash if absent. */
  readonly text: string;
  /** `changeText` with the previous value in three digits. */
  readonly briefChangeText: string;
  /** `text`, shortened to three digits if the number is large. */
  readonly briefText: string;
  /** `change` as text, such as `+12.3% from 100`; empty if `change` is absent. */
  readonly changeText: string;
  /** Additional fact, such as the average per day; may be empty. */
  readonly note: string;
  /** Missing data, in a few words; empty if complete. */
  readonly gap: string;
}

/** Computes all figures of a report, in reading order. A figure without data has no value. */
export function computeFigures(report: UsageReport): Figure[] {
  const shown = figureTable.filter(({ format }) => format !== "money" || report.price !== undefined);
  return shown.map((definition) => computeFigure(definition, report));
}

function computeFigure(definition: FigureDefinition, report: UsageReport): Figure {
  const { id, title, group, parts } = definition;
  const valueIn = (usage: PeriodUsage | undefined): number | undefined => {
    const value = usage && definition.compute(usage, report);
    return value !== undefined && definition.format === "money" && report.price
      ? computeCost(value, report.price)
      : value;
  };
  const [value, previous] = [valueIn(report), valueIn(report.previous)];
  const comparison = compareValues(definition, report, value, previous);
  const show = (amount: number): string => formatValue(definition, amount, report);
  const showBriefly = (amount: number): string => {
    if (definition.format === "count") return briefNumber(amount);
    return definition.format === "money" ? briefMoney(amount, report.price?.currency ?? "") : show(amount);
  };
  return {
    id,
    title,
    group,
    definition: definition.definition,
    ...(value !== undefined && { value }),
    ...(previous !== undefined && { previous }),
    ...(comparison && { change: comparison.change, basis: comparison.basis }),
    text: value === undefined ? "–" : show(value),
    briefText: value === undefined ? "–" : showBriefly(value),
    changeText: comparison === undefined || previous === undefined ? "" : comparison.text(show(previous)),
    briefChangeText: comparison === undefined || previous === undefined ? "" : comparison.text(showBriefly(previous)),
    note: value === undefined ? "" : formatNote(definition, value, report),
    gap: [formatShortGap(report, parts), ...formatTotalNotes(report, id)].filter(Boolean).join(", "),
  };
}

interface Comparison extends Required<Pick<Figure, "change" | "basis">> {
  readonly text: (previous: string) => string;
}

/** Compares a figure with its value in the previous period; undefined if the values cannot be compared. */
function compareValues(
  { kind, format, parts }: FigureDefinition,
  report: UsageReport,
  value: number | undefined,
  previous: number | undefined,
): Comparison | undefined {
  const { previous: before } = report;
  if (before === undefined || value === undefined || previous === undefined || previous === 0) return undefined;
  const coverages = [report, before].flatMap(({ coverage }) => parts.map((part) => coverage[part]));
  if (coverages.some((coverage) => coverage?.brokenOff !== undefined)) return undefined;
  if (kind === "distinct" && coverages.some((coverage) => !coverage?.isComplete)) return undefined;
  if (format === "share") {
    const change = value - previous;
    return { change, basis: "points", text: (from) => `${pointsText(change)} from ${from}` };
  }
  const [days, daysBefore] = [daysIn(report, parts[0]), daysIn(before, parts[0])];
  if (kind !== "sum" || days === daysBefore) {
    const change = value / previous - 1;
    return { change, basis: "value", text: (from) => `${changeText(change)} from ${from}` };
  }
  const change = value / days / (previous / daysBefore) - 1;
  return { change, basis: "day", text: () => `${changeText(change)} a day` };
}

function daysIn({ days, coverage }: PeriodUsage, part: FigureDefinition["parts"][0]): number {
  return days.length - (coverage[part]?.absentDays.length ?? 0);
}

function formatValue({ format }: FigureDefinition, value: number, { price }: UsageReport): string {
  if (format === "share") return shareText(value, 1);
  if (format === "ratio") return ratioText(value);
  if (format === "money") return moneyText(value, price?.currency ?? "");
  return numberText(value < 10 ? value : Math.round(value));
}

/** Formats the number of seats; former users are counted apart, because their seats are no longer in that number. */
function formatSeats(active: number, { coverage }: UsageReport, { users, idle, former = 0 }: Seats): string {
  const unmatched = coverage.seats?.unmatched ?? 0;
  if (idle === undefined && unmatched > 0) return "";
  if (former + unmatched === 0) return `of ${numberText(users)} users`;
  const current = `${numberText(active - former - unmatched)} of ${numberText(users)} users`;
  return [current, former > 0 && `${numberText(former)} former`].filter(Boolean).join(", ");
}

function formatNote({ id, kind, parts }: FigureDefinition, value: number, report: UsageReport): string {
  const { activity, toolUse, seats, price } = report;
  if (id === "active_users") return seats === undefined ? "" : formatSeats(value, report, seats);
  if (id === "sessions" && activity) return countText(activity.messages.total, "messages");
  if (id === "tool_calls" && toolUse) return countText(toolUse.hookRuns.total, "hook runs");
  if (id === "cost" && price) return `at ${moneyText(price.perCredit, price.currency)} a credit`;
  return kind === "sum" && report.days.length > 1 ? `${meanText(value, daysIn(report, parts[0]))} a day` : "";
}
