import type { Colors } from "picocolors/types.js";
import type { TimePlot } from "../../../../report/plot.ts";
import { sum } from "../../../../report/series.ts";
import { shortNumber } from "../../../../report/format.ts";
import { alignRows, cellsOf, cutToCells } from "../../../columns.ts";
import { bar, sparkline, standingBars, thinned } from "../output/bars.ts";

/** How a report is written. */
export interface TextStyle {
  /** No line is wider. */
  readonly columns: number;
  /** ASCII alone: the terminal would show anything else as rubbish. */
  readonly isPlain: boolean;
  readonly colors: Colors;
}

const indent = "  ";
const nameCells = 28;
const mostBarCells = 40;
const chartRows = 5;
const plain = (text: string): string => text;

/** Rows of cells under a title, each column in a colour. */
export function rowLines(
  rows: readonly (readonly string[])[],
  paints: readonly ((text: string) => string)[],
): string[] {
  return alignRows(rows, (cell, column) => (paints[column] ?? plain)(cell)).map((line) => indent + line);
}

/** A title, and what there is to say beside it. */
export function head(title: string, about: string, { colors, columns }: TextStyle): string {
  const room = columns - cellsOf(title) - 2;
  return about === "" || room < 8
    ? colors.bold(title)
    : `${colors.bold(title)}  ${colors.dim(cutToCells(about, room))}`;
}

type Named = { readonly name: string; readonly value: number };

/** Name, number and bar: the bar takes what is left. */
export function barLines(bars: readonly Named[], note: (value: number) => string, style: TextStyle): string[] {
  const { colors, columns, isPlain } = style;
  const notes = bars.map(({ value }) => note(value));
  const noteCells = Math.max(0, ...notes.map(cellsOf));
  const names = bars.map(({ name }) => cutToCells(name, Math.min(nameCells, columns - noteCells - 14)));
  const room = columns - noteCells - Math.max(0, ...names.map(cellsOf)) - indent.length - 4;
  const greatest = Math.max(0, ...bars.map(({ value }) => value));
  const rows = bars.map(({ value }, n) => [
    names[n] ?? "",
    (notes[n] ?? "").padStart(noteCells),
    bar(value, greatest, Math.min(room, mostBarCells), isPlain),
  ]);
  return rowLines(rows, [plain, colors.dim, colors.cyan]);
}

/** A line of standing bars for each series, each to its own scale. */
export function sparkLines({ series }: TimePlot, { colors, columns, isPlain }: TextStyle): string[] {
  const notes = series.map(({ note }) => note);
  const names = series.map(({ name }) => cutToCells(name, nameCells));
  const room = columns - Math.max(0, ...notes.map(cellsOf)) - Math.max(0, ...names.map(cellsOf)) - indent.length - 4;
  const rows = series.map(({ values }, n) => {
    const shown = thinned(values, Math.max(1, room));
    return [names[n] ?? "", sparkline(shown, Math.max(0, ...shown), isPlain), notes[n] ?? ""];
  });
  return rowLines(rows, [plain, colors.cyan, colors.dim]);
}

/** All series of a plot together, mark by mark, with the greatest value and the first and last mark beside it. */
export function chartLines({ series, ticks }: TimePlot, { colors, columns, isPlain }: TextStyle): string[] {
  const totals = ticks.map((_, n) => sum(series.map(({ values }) => values[n] ?? 0)));
  const greatest = Math.max(0, ...totals);
  const scale = [shortNumber(greatest), ...Array.from({ length: chartRows - 2 }, () => ""), "0"];
  const labelCells = Math.max(...scale.map(cellsOf));
  const room = columns - indent.length - labelCells - 1;
  const shown = thinned(totals, room);
  const each = Math.max(1, Math.min(3, Math.floor(room / Math.max(1, shown.length))));
  const wide = shown.flatMap((value) => (each === 1 ? [value] : [...Array<number>(each - 1).fill(value), 0]));
  const lines = standingBars(wide, greatest, chartRows, isPlain).map(
    (line, n) => `${indent}${colors.dim((scale[n] ?? "").padStart(labelCells))} ${colors.cyan(line.trimEnd())}`,
  );
  const [first = "", last = ""] = [ticks[0], ticks.at(-1)];
  const gap = wide.length - cellsOf(first) - cellsOf(last);
  const axis = gap > 0 ? `${first}${" ".repeat(gap)}${last}` : first;
  return [...lines, `${indent}${" ".repeat(labelCells)} ${colors.dim(axis)}`, ""];
}
