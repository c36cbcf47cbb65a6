import type { Colors } from "picocolors/types.js";
import { shortNumber } from "../../../../report/format.ts";
import type { TimePlot } from "../../../../report/plots.ts";
import { sum } from "../../../../report/series.ts";
import { alignRows, countCells, cutToCells, foldAndCut } from "../../../columns.ts";
import { bar, downsample, sparkline, verticalBars } from "../output/bars.ts";

/** Style of a printed report. */
export interface TextStyle {
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
export function rowLines(
  rows: readonly (readonly string[])[],
  paints: readonly ((text: string) => string)[],
): string[] {
  return alignRows(rows, (cell, column) => (paints[column] ?? uncolored)(cell)).map((line) => indent + line);
}

/** Formats a title with a remark next to it, or below it if there is no room. */
export function head(title: string, about: string, { colors, columns }: TextStyle): string {
  if (about === "") return colors.bold(title);
  if (countCells(title) + 2 + countCells(about) <= columns) return `${colors.bold(title)}  ${colors.dim(about)}`;
  const lines = foldAndCut(about, columns - indent.length);
  return [colors.bold(title), ...lines.map((line) => indent + colors.dim(line))].join("\n");
}

type Named = { readonly name: string; readonly value: number };

/** Formats a line for each bar: its name, its number, and the bar in the remaining width. */
export function barLines(bars: readonly Named[], note: (value: number) => string, style: TextStyle): string[] {
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
export function sparkLines({ series }: TimePlot, { colors, columns, isAscii }: TextStyle): string[] {
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
export function chartLines({ series, ticks }: TimePlot, { colors, columns, isAscii }: TextStyle): string[] {
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
