import type { EChartsCoreOption } from "echarts/core";
import type { Plot, PlotSeries, RankPlot, TimePlot } from "../plot.ts";
import { sum } from "../series.ts";
import { shareText, shortNumber } from "../format.ts";
import { colourOf } from "./colours.ts";
import { fittedLabel, labelPixels } from "./label.ts";

const fontSize = 12;
const muted = { color: "var(--muted)", fontSize };
const nameLabel = { color: "var(--ink)", fontSize, align: "left", interval: 0 };
const hairline = { lineStyle: { color: "var(--line)", width: 1 } };

/** What the chart library draws for a plot of a width in pixels. */
export function chartOptionOf(plot: Plot, width: number): EChartsCoreOption {
  return { animation: false, ...(plot.kind === "ranking" ? rankOption(plot, width) : timeOption(plot)) };
}

/** Sums of anything greater would be infinite, which the library complains about on standard error. */
const greatest = 1e290;
const drawable = (value: number): number => Math.max(-greatest, Math.min(greatest, value));

function timeOption(plot: TimePlot): EChartsCoreOption {
  const isShare = plot.kind === "shares";
  return {
    grid: { left: 4, right: 8, top: 10, bottom: 4, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
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
    series: plot.series.map((series, at) => (plot.kind === "lines" ? line(plot, series, at) : bar(plot, series, at))),
  };
}

function bar(plot: TimePlot, series: PlotSeries, at: number) {
  const isShare = plot.kind === "shares";
  const whole = (n: number): number => sum(plot.series.map(({ values }) => values[n] ?? 0));
  const share = (value: number, n: number): number => (whole(n) === 0 ? 0 : value / whole(n));
  return {
    type: "bar",
    data: series.values.map(isShare ? share : drawable),
    ...(plot.kind !== "grouped" && { stack: "all" }),
    barCategoryGap: plot.labels.length > 14 ? "22%" : "40%",
    barGap: "8%",
    barMaxWidth: 36,
    itemStyle: { color: colourOf(plot.kind, at, series.isRest) },
    emphasis: { disabled: true },
  };
}

function line(plot: TimePlot, series: PlotSeries, at: number) {
  const color = colourOf(plot.kind, at, series.isRest);
  return {
    type: "line",
    data: series.values.map(drawable),
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
    // Room for the names is left here; the library takes an emoji for many letters.
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
        data: bars.map((one) => ({ value: drawable(one.value), itemStyle: { color: colourOf(kind, 0, one.isRest) } })),
        label: { show: true, position: "right", color: "var(--muted)", fontSize, formatter: value },
        emphasis: { disabled: true },
      },
    ],
  };
}
