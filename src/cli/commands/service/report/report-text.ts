import type { Colors } from "picocolors/types.js";
import { type FigureGroup, figureGroups } from "../../../../report/figure-table.ts";
import { computeFigures, type Figure } from "../../../../report/figures.ts";
import { countText, daysText, numberText, periodText, shareText, shortNumber } from "../../../../report/format.ts";
import { formatPeopleGap, listShortGaps } from "../../../../report/gaps.ts";
import { buildPlots, noneInPeriod, type Plot, type RankPlot, type TimePlot } from "../../../../report/plots.ts";
import { coveredDays, type UsageReport } from "../../../../report/report.ts";
import { formatCell, type Section, type SectionCell } from "../../../../report/section.ts";
import { buildSections } from "../../../../report/sections.ts";
import { sum } from "../../../../report/series.ts";
import { buildSummary } from "../../../../report/summary.ts";
import { alignRows, asciiCells, countCells, cutToCells, foldAndCut } from "../../../columns.ts";
import { type Column, Table } from "../output/table.ts";

const maxNames = 6;
/** Maximum number of rows of a table. */
const maxRows = 10;
/** Maximum width of a table's column, in terminal cells. */
const maxSectionCells = 40;
const gapCells = 2;
const shareCells = "100.0%".length;

/** Formats a report for a terminal: key figures, then each plot in a few lines. */
export function reportText(report: UsageReport, style: TextStyle): string {
  const figures = computeFigures(report);
  const sections = buildSections(report);
  const currency = report.price?.currency ?? "";
  const blocks = [
    headerLines(report, style),
    foldAndCut(buildSummary(report).sentence, style.columns),
    gapLines(report, style),
    ...sections.filter(({ id }) => id === "budget").map((section) => sectionLines(section, currency, style)),
    ...(Object.keys(figureGroups) as FigureGroup[]).map((group) => figureLines(figures, group, style)),
    ...buildPlots(report).map((plot) => plotLines(plot, style)),
    userLines(report, style),
    ...sections.filter(({ id }) => id !== "budget").map((section) => sectionLines(section, currency, style)),
  ];
  const text = blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
  return style.isAscii ? toAscii(text) : text;
}

function headerLines(report: UsageReport, style: TextStyle): string[] {
  const { organization, period, days, previous } = report;
  const about = [organization, daysText(coveredDays(report).length, days.length)].filter(Boolean).join(" · ");
  const compared = previous && `compared with ${periodText(previous.period)}`;
  const title = head(`Usage ${periodText(period)}`, about, style);
  return compared === undefined ? [title] : [title, style.colors.dim(cutToCells(compared, style.columns))];
}

/** Lists the incomplete parts of the report. The details are printed to standard error. */
function gapLines(report: UsageReport, { colors, columns }: TextStyle): string[] {
  const short = listShortGaps(report);
  if (short.length === 0) return [];
  const label = "missing";
  const text = short.map(([title, gap]) => `${title} (${gap})`).join(", ");
  return foldAndCut(text, columns - label.length - gapCells).map(
    (line, n) => `${n === 0 ? colors.yellow(label) : " ".repeat(label.length)}  ${line}`,
  );
}

function figureLines(all: readonly Figure[], group: FigureGroup, style: TextStyle): string[] {
  const { colors, columns } = style;
  const figures = all.filter((figure) => figure.group === group);
  if (figures.length === 0) return [];
  const widest = Math.max(0, ...figures.map(({ text }) => text.length));
  const titles = figures.map(({ title }) => cutToCells(title, Math.max(1, columns - widest - 2 * gapCells)));
  const room = columns - widest - Math.max(0, ...titles.map(countCells)) - 2 * gapCells;
  const rows = figures.map(({ text, note, changeText, gap }, n) => {
    // A number is never cut.
    const changes = [changeText, changeText.replace(/ from .*/, "")];
    const change = changes.find((shown) => countCells(shown) <= room - gapCells) ?? "";
    return [titles[n] ?? "", text.padStart(widest), joinFitting([gap && `(${gap})`, change, note], room - gapCells)];
  });
  const lines = rowLines(rows, [(title) => title, colors.bold, colors.dim]);
  return group === "key" ? lines : [head(figureGroups[group], "", style), ...lines];
}

/** Joins as many of the texts as fit. Always includes the first text, cut if necessary. */
function joinFitting(texts: readonly string[], cells: number): string {
  const [first = "", ...rest] = texts.filter((text) => text !== "");
  let line = cutToCells(first, Math.max(0, cells));
  for (const text of rest) {
    if (countCells(line) + gapCells + countCells(text) > cells) break;
    line += " ".repeat(gapCells) + text;
  }
  return line;
}

function plotLines(plot: Plot, style: TextStyle): string[] {
  const title = formatTitle(plot);
  if (plot.kind === "ranking")
    return [head(title, plot.about, style), ...barLines(plot.bars.slice(0, maxNames), withShare(plot.total), style)];
  const { series, kind } = plot;
  const whole = sum(series.flatMap(({ values }) => values));
  if (whole === 0) return [head(title, plot.about, style)];
  const totals = series.map(({ name, values }) => ({ name, value: sum(values) }));
  if (kind === "shares")
    return [head(title, "", style), ...barLines(totals, (value) => shareText(value, whole), style)];
  const note = kind === "stacked" ? withShare(whole) : numberText;
  if (plot.ticks.length === 1) return [head(title, "", style), ...barLines(totals, note, style)];
  if (kind !== "stacked") return [head(title, "", style), ...sparkLines(plot, style)];
  return [head(title, plot.about, style), ...chartLines(plot, style), ...barLines(totals, withShare(whole), style)];
}

/** Formats a plot's title, with a note about missing data. */
function formatTitle({ title, gap }: Pick<Plot, "title" | "gap">): string {
  return gap === "" ? title : `${title} (${gap})`;
}

/** Returns a function that formats a number with its share of the whole. */
function withShare(whole: number): (value: number) => string {
  return (value) => `${numberText(value)} ${shareText(value, whole).padStart(shareCells)}`;
}

function userLines(report: UsageReport, style: TextStyle): string[] {
  const { people } = report;
  if (people === undefined) return [];
  const title = formatTitle({ title: "Top users", gap: formatPeopleGap(report) });
  const top = people.top.slice(0, maxNames).map(({ name, credits }) => ({ name, value: credits }));
  const about = people.users === 0 ? noneInPeriod : `of ${numberText(people.users)}, by credits`;
  return [head(title, about, style), ...barLines(top, numberText, style)];
}

/** Formats a section as a table of its first rows; columns that do not fit are left out. */
function sectionLines({ title, gap, about, columns, rows }: Section, currency: string, style: TextStyle): string[] {
  const { colors } = style;
  const lines = [head(formatTitle({ title, gap }), about, style)];
  const maxCells = style.columns - indent.length;
  const shown = columns.map((column, n): Column<readonly SectionCell[]> => {
    const isNumber = !["name", "word", "day"].includes(column.kind);
    const format = (cell: SectionCell): string => formatCell(cell, column, currency);
    const read = (cells: readonly SectionCell[]) => cutToCells(format(cells[n]), Math.min(maxSectionCells, maxCells));
    return { title: column.title, read, isNumber, isWhole: true };
  });
  const print = (line: string): void => void lines.push(indent + line);
  new Table(shown, { print, colors, maxCells }).print(rows.slice(0, maxRows));
  const hidden = rows.length - maxRows;
  return hidden > 0 ? [...lines, colors.dim(`  ${countText(hidden, "more rows")}: --csv, --json`)] : lines;
}

/** Converts a text to ASCII. Names in other scripts are lost: a terminal without UTF-8 cannot show them. */
function toAscii(text: string): string {
  return asciiCells(
    text.replace(/…/g, "~").replace(/[–−·]/g, "-").replace(/±/g, "").replace(/×/g, "x").replace(/’/g, "'"),
  );
}

/** Style of a printed report. */
interface TextStyle {
  /** Maximum width of a line, in cells. */
  readonly columns: number;
  /** True for a terminal that only shows ASCII. */
  readonly isAscii: boolean;
  readonly colors: Colors;
}

const indent = "  ";
const nameCells = 28;
const maxBarCells = 40;
const chartRows = 5;
const uncolored = (text: string): string => text;

/** Formats indented rows of cells, each column in its colour. */
function rowLines(rows: readonly (readonly string[])[], paints: readonly ((text: string) => string)[]): string[] {
  return alignRows(rows, (cell, column) => (paints[column] ?? uncolored)(cell)).map((line) => indent + line);
}

/** Formats a title with a remark next to it, or below it if there is no room. */
function head(title: string, about: string, { colors, columns }: TextStyle): string {
  if (about === "") return colors.bold(title);
  if (countCells(title) + 2 + countCells(about) <= columns) return `${colors.bold(title)}  ${colors.dim(about)}`;
  const lines = foldAndCut(about, columns - indent.length);
  return [colors.bold(title), ...lines.map((line) => indent + colors.dim(line))].join("\n");
}

/** Formats a line for each bar: its name, its number, and the bar in the remaining width. */
function barLines(bars: RankPlot["bars"], note: (value: number) => string, style: TextStyle): string[] {
  const { colors, columns, isAscii } = style;
  const notes = bars.map(({ value }) => note(value));
  const noteCells = Math.max(0, ...notes.map(countCells));
  const names = bars.map(({ name }) => cutToCells(name, Math.min(nameCells, columns - noteCells - 14)));
  const room = columns - noteCells - Math.max(0, ...names.map(countCells)) - indent.length - 4;
  const greatest = Math.max(0, ...bars.map(({ value }) => value));
  const rows = bars.map(({ value }, n) => [
    names[n] ?? "",
    (notes[n] ?? "").padStart(noteCells),
    bar(value, greatest, Math.min(room, maxBarCells), isAscii),
  ]);
  return rowLines(rows, [uncolored, colors.dim, colors.cyan]);
}

/** Formats a one-line chart for each series, each with a scale of its own. */
function sparkLines({ series }: TimePlot, { colors, columns, isAscii }: TextStyle): string[] {
  const notes = series.map(({ note }) => note);
  const names = series.map(({ name }) => cutToCells(name, nameCells));
  const room =
    columns - Math.max(0, ...notes.map(countCells)) - Math.max(0, ...names.map(countCells)) - indent.length - 4;
  const rows = series.map(({ values }, n) => {
    const shown = downsample(values, Math.max(1, room)).map((value) => value ?? 0);
    return [names[n] ?? "", sparkline(shown, Math.max(0, ...shown), isAscii), notes[n] ?? ""];
  });
  return rowLines(rows, [uncolored, colors.cyan, colors.dim]);
}

/** Draws a chart of the sums of all series, with the greatest value and the first and last label on its axes. */
function chartLines({ series, ticks }: TimePlot, { colors, columns, isAscii }: TextStyle): string[] {
  const totals = ticks.map((_, n) => sum(series.map(({ values }) => values[n] ?? 0)));
  const greatest = Math.max(0, ...totals);
  const scale = [shortNumber(greatest), ...Array.from({ length: chartRows - 2 }, () => ""), "0"];
  const labelCells = Math.max(...scale.map(countCells));
  const room = columns - indent.length - labelCells - 1;
  const shown = downsample(totals, room).map((value) => value ?? 0);
  const each = Math.max(1, Math.min(3, Math.floor(room / Math.max(1, shown.length))));
  const wide = shown.flatMap((value) => (each === 1 ? [value] : [...Array<number>(each - 1).fill(value), 0]));
  const lines = verticalBars(wide, greatest, chartRows, isAscii).map(
    (line, n) => `${indent}${colors.dim((scale[n] ?? "").padStart(labelCells))} ${colors.cyan(line.trimEnd())}`,
  );
  const [first = "", last = ""] = [ticks[0], ticks.at(-1)];
  const gap = wide.length - countCells(first) - countCells(last);
  const axis = gap > 0 ? `${first}${" ".repeat(gap)}${last}` : first;
  return [...lines, `${indent}${" ".repeat(labelCells)} ${colors.dim(axis)}`, ""];
}

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;
const heights = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/** Returns a value as a fraction of the greatest value, 0 to 1. */
function computeFraction(value: number, greatest: number): number {
  const part = value / greatest;
  return Number.isFinite(part) ? Math.min(1, Math.max(0, part)) : 0;
}

/**
 * Draws a horizontal bar of at most `cells` terminal cells. A value above 0 has at least a visible mark.
 * @param isAscii draws with ASCII characters only
 */
export function bar(value: number, greatest: number, cells: number, isAscii: boolean): string {
  const part = computeFraction(value, greatest) * cells;
  if (part === 0) return "";
  if (isAscii) return "#".repeat(Math.max(1, Math.round(part)));
  const steps = Math.max(1, Math.round(part * 8));
  return "█".repeat(Math.floor(steps / 8)) + (eighths[steps % 8] ?? "");
}

/**
 * Draws vertical bars, each one cell wide. Returns the lines from top to bottom.
 * @param rows number of lines
 */
export function verticalBars(values: readonly number[], greatest: number, rows: number, isAscii: boolean): string[] {
  const steps = values.map((value) => {
    const part = computeFraction(value, greatest) * rows;
    return part === 0 ? 0 : Math.max(isAscii ? 8 : 1, Math.round(part * 8));
  });
  return Array.from({ length: rows }, (_, row) => {
    const below = (rows - 1 - row) * 8;
    const cell = (step: number): string => {
      const height = Math.min(8, Math.max(0, step - below));
      return isAscii ? (height >= 4 ? "#" : " ") : (heights[height] ?? " ");
    };
    return steps.map(cell).join("");
  });
}

const asciiHeights = " .:-=+*#";

/** Draws vertical bars on one line. */
export function sparkline(values: readonly number[], greatest: number, isAscii: boolean): string {
  if (!isAscii) return verticalBars(values, greatest, 1, false).join("");
  const top = asciiHeights.length - 1;
  const level = (value: number): number => Math.ceil(computeFraction(value, greatest) * top);
  return values.map((value) => asciiHeights[level(value)] ?? " ").join("");
}

/** Reduces a list to at most `maxValues` values by averaging neighbours. An average of missing values is null. */
export function downsample(values: readonly (number | null)[], maxValues: number): (number | null)[] {
  const size = Math.max(1, Math.ceil(values.length / Math.max(1, maxValues)));
  const groups = Array.from({ length: Math.ceil(values.length / size) }, (_, n) =>
    values.slice(n * size, (n + 1) * size).filter((value) => value !== null),
  );
  return groups.map((group) =>
    group.length === 0 ? null : group.reduce((total, value) => total + value / group.length, 0),
  );
}
