import { figuresOf } from "../../../../report/figures.ts";
import { counted, numberText, periodText, shareText } from "../../../../report/format.ts";
import type { Plot, RankPlot } from "../../../../report/plot.ts";
import { noneInPeriod, plotsOf } from "../../../../report/plots.ts";
import { partTitles, type UsageReport } from "../../../../report/report.ts";
import { sum } from "../../../../report/series.ts";
import { asciiCells, cutToCells } from "../../../columns.ts";
import { barLines, chartLines, head, rowLines, sparkLines, type TextStyle } from "./report-lines.ts";

const mostNames = 6;
const gapCells = 2;
const shareCells = "100.0%".length;

/** A report as text for a terminal: key figures, then each plot in a few lines. */
export function reportText(report: UsageReport, style: TextStyle): string {
  const title = `Usage ${periodText(report.period)}`;
  const days = `${counted(report.days.length, "days")}, UTC`;
  const blocks = [
    [head(title, days, style)],
    figureLines(report, style),
    ...plotsOf(report).map((plot) => plotLines(plot, style)),
  ];
  const all = [...blocks, userLines(report, style), missingLines(report, style)];
  const text = all
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
  return style.isAscii ? asciiOf(text) : text;
}

function figureLines(report: UsageReport, { colors, columns }: TextStyle): string[] {
  const figures = figuresOf(report);
  const widest = Math.max(0, ...figures.map(({ value }) => value.length));
  const room = columns - widest - Math.max(0, ...figures.map(({ title }) => title.length)) - 2 * gapCells;
  const rows = figures.map(({ title, value, note }) => [
    title,
    value.padStart(widest),
    cutToCells(note, Math.max(0, room - gapCells)),
  ]);
  return rowLines(rows, [(title) => title, colors.bold, colors.dim]);
}

function plotLines(plot: Plot, style: TextStyle): string[] {
  if (plot.kind === "ranking") return rankLines(plot, style);
  const { title, series, kind } = plot;
  const whole = sum(series.flatMap(({ values }) => values));
  if (whole === 0) return [head(title, plot.about, style)];
  const totals = series.map(({ name, values }) => ({ name, value: sum(values) }));
  if (kind === "shares")
    return [head(title, "", style), ...barLines(totals, (value) => shareText(value, whole), style)];
  if (kind !== "stacked") return [head(title, "", style), ...sparkLines(plot, style)];
  return [head(title, plot.about, style), ...chartLines(plot, style), ...barLines(totals, withShare(whole), style)];
}

function rankLines({ title, about, bars, total }: RankPlot, style: TextStyle): string[] {
  return [head(title, about, style), ...barLines(bars.slice(0, mostNames), withShare(total), style)];
}

/** Writes a number, and its share of a whole. */
function withShare(whole: number): (value: number) => string {
  return (value) => `${numberText(value)} ${shareText(value, whole).padStart(shareCells)}`;
}

function userLines({ people }: UsageReport, style: TextStyle): string[] {
  if (people === undefined) return [];
  const top = people.top.slice(0, mostNames).map(({ name, credits }) => ({ name, value: credits }));
  const about = people.users === 0 ? noneInPeriod : `of ${numberText(people.users)}, by credits`;
  return [head("Top users", about, style), ...barLines(top, numberText, style)];
}

function missingLines({ missing }: UsageReport, { colors }: TextStyle): string[] {
  return missing.map(({ part }) => `${colors.yellow("missing")} ${partTitles[part]}`);
}

/** Names in other scripts are lost; a terminal without UTF-8 could not show them. */
function asciiOf(text: string): string {
  return asciiCells(text.replace(/…/g, "~").replace(/[–·]/g, "-").replace(/’/g, "'"));
}
