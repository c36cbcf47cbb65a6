import type { EChartsCoreOption } from "echarts/core";
import { cut } from "../../text/cut.ts";
import { shareText, shortNumber } from "../format.ts";
import type { Plot, PlotSeries, RankPlot, TimePlot } from "../plots.ts";
import { sum } from "../series.ts";

const fontSize = 12;
const muted = { color: "var(--muted)", fontSize };
const nameLabel = { color: "var(--ink)", fontSize, align: "left", interval: 0 };
const hairline = { lineStyle: { color: "var(--line)", width: 1 } };

/** Builds the options of the chart library (Apache ECharts) for a plot; the width is in pixels. */
export function buildChartOption(plot: Plot, width: number): EChartsCoreOption {
  return { animation: false, ...(plot.kind === "ranking" ? rankOption(plot, width) : timeOption(plot)) };
}

/** Largest value that is drawn. Sums of greater values could be infinite, and the library would print a warning. */
const maxDrawable = 1e290;
const drawable = (value: number): number => Math.max(-maxDrawable, Math.min(maxDrawable, value));
/** Value by which the chart library leaves a gap in a series. */
const noMark = "-";

function timeOption(plot: TimePlot): EChartsCoreOption {
  const isShare = plot.kind === "shares";
  return {
    grid: {
      left: 4,
      right: 8,
      top: plot.marks.length === 0 ? 10 : 22,
      bottom: 4,
      outerBoundsMode: "same",
      outerBoundsContain: "axisLabel",
    },
    xAxis: {
      type: "category",
      data: [...plot.ticks],
      boundaryGap: plot.kind !== "lines",
      axisLine: hairline,
      axisTick: { show: false },
      axisLabel: { ...muted, hideOverlap: true, margin: 10 },
    },
    yAxis: {
      type: "value",
      splitNumber: 4,
      minInterval: isShare ? 0 : 1,
      ...(isShare && { max: 1, interval: 0.25 }),
      splitLine: hairline,
      axisLabel: { ...muted, formatter: isShare ? (value: number) => `${value * 100}%` : shortNumber },
    },
    series: plot.series.map((series, seriesIndex) => ({
      ...(plot.kind === "lines" ? line(plot, series, seriesIndex) : bar(plot, series, seriesIndex)),
      ...(seriesIndex === 0 && plot.marks.length > 0 && { markLine: buildMarkLine(plot) }),
    })),
  };
}

/** Draws a numbered line across the plot for each day or week in which settings changed. */
function buildMarkLine({ marks }: TimePlot) {
  return {
    silent: true,
    symbol: "none",
    lineStyle: { color: "var(--muted)", type: "dashed", width: 1 },
    label: { position: "end", distance: 3, color: "var(--muted)", fontSize: 10, formatter: "{b}" },
    data: marks.map(({ index, label }) => ({ name: label, xAxis: index })),
  };
}

function bar(plot: TimePlot, series: PlotSeries, seriesIndex: number) {
  const isShare = plot.kind === "shares";
  const columnTotal = (index: number): number => sum(plot.series.map(({ values }) => values[index] ?? 0));
  const share = (value: number, index: number): number => (columnTotal(index) === 0 ? 0 : value / columnTotal(index));
  const color = chooseColour(plot.kind, seriesIndex, series.isRest);
  const item = (value: number | null, index: number) => {
    if (value === null) return noMark;
    const itemStyle = { color, opacity: plot.isPartial[index] ? partialOpacity : 1 };
    return { value: isShare ? share(value, index) : drawable(value), itemStyle };
  };
  return {
    type: "bar",
    data: series.values.map(item),
    ...(plot.kind !== "grouped" && { stack: "all" }),
    barCategoryGap: plot.labels.length > 14 ? "22%" : "40%",
    barGap: "8%",
    barMaxWidth: 36,
    itemStyle: { color },
    emphasis: { disabled: true },
  };
}

/** Opacity of the bars of partial weeks. */
const partialOpacity = 0.45;

function line(plot: TimePlot, series: PlotSeries, seriesIndex: number) {
  const color = chooseColour(plot.kind, seriesIndex, series.isRest);
  return {
    type: "line",
    data: series.values.map((value, index) => {
      if (value === null) return noMark;
      // The mean over a partial week is a hollow mark.
      const itemStyle = plot.isPartial[index]
        ? { color: "var(--card)", borderColor: color, borderWidth: 1.5 }
        : { color };
      return { value: drawable(value), itemStyle };
    }),
    symbol: "circle",
    symbolSize: 5,
    showAllSymbol: true,
    lineStyle: { color, width: 2 },
    itemStyle: { color },
    emphasis: { disabled: true },
  };
}

function rankOption({ kind, bars, total }: RankPlot, width: number): EChartsCoreOption {
  const widest = Math.max(...bars.map(({ name }) => labelPixels(name)));
  const names = Math.round(Math.min(width * 0.4, widest + 24));
  const value = ({ dataIndex }: { readonly dataIndex: number }): string => {
    const count = bars[dataIndex]?.value ?? 0;
    return `${shortNumber(count)} · ${shareText(count, total)}`;
  };
  return {
    // The width of names is set here, because the library counts an emoji as several letters.
    grid: { left: names, right: 96, top: 0, bottom: 0, outerBoundsMode: "none" },
    xAxis: { type: "value", show: false },
    yAxis: {
      type: "category",
      inverse: true,
      data: bars.map(({ name }) => fittedLabel(name, names - 12)),
      axisLine: { show: false },
      axisTick: { show: false },
      axisLabel: { ...nameLabel, margin: names },
    },
    series: [
      {
        type: "bar",
        barWidth: 14,
        data: bars.map((entry) => ({
          value: drawable(entry.value),
          itemStyle: { color: chooseColour(kind, 0, entry.isRest) },
        })),
        label: { show: true, position: "right", color: "var(--muted)", fontSize, formatter: value },
        emphasis: { disabled: true },
      },
    ],
  };
}

/** Picks the colour of a series: a variable of the style sheet, which defines it for light and dark mode. */
export function chooseColour(kind: Plot["kind"], seriesIndex: number, isRest = false): string {
  if (isRest) return "var(--rest)";
  return kind === "shares" ? `var(--level-${Math.min(seriesIndex, 3) + 1})` : `var(--series-${(seriesIndex % 7) + 1})`;
}

/** Pixels per unit of width at font size 12, measured with wide fonts so that no label is wider than estimated. */
const unitPixels = 3.6;

/** Marks, joiners and variation selectors, which have no width. */
const zeroWidth = /[\p{Mn}\p{Me}\p{Cf}]/gu;

/**
 * Converts a text to a string whose length is the text's estimated width in units, because text cannot be measured
 * without a browser. Joined emoji count one by one, because a machine without a font for them draws them side by side.
 */
function asUnits(text: string): string {
  return [...text.replace(zeroWidth, "")].map(measureCharacter).join("");
}

function measureCharacter(character: string): string {
  if (/^[ijlI|!.,:;']/.test(character)) return "x";
  if (/^[A-LN-VX-Zw&\u0370-\u10ff]/.test(character)) return "xxx";
  // East Asian characters and emoji are as wide as they are high.
  return /^[MWm@%\u1100-\uffff\u{10000}-\u{10ffff}]/u.test(character) ? "xxxx" : "xx";
}

/** Estimates the width of a label, in pixels. */
export function labelPixels(text: string): number {
  return asUnits(text).length * unitPixels;
}

/** Cuts a label to a width in pixels. Cuts between graphemes; the chart library could cut an emoji in two. */
export function fittedLabel(text: string, pixels: number): string {
  return cut(text, Math.floor(pixels / unitPixels), "utf16", asUnits);
}
