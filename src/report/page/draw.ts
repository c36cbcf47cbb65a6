import { BarChart, LineChart } from "echarts/charts";
import { GridComponent, MarkLineComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { escapeHtml, Html } from "../../text/html.ts";
import { counted } from "../format.ts";
import type { Plot } from "../plot.ts";
import { buildChartOption } from "./chart-option.ts";

use([BarChart, LineChart, GridComponent, MarkLineComponent, SVGRenderer]);

/** Height of a ranking's row, in pixels. */
const rowPixels = 30;

/**
 * Draws a plot as SVG for the page. The SVG has no styles or ids, takes its colours from the page's style sheet, and
 * has a title on every mark, which browsers show as a tooltip.
 * @param label the name for screen readers
 */
export function drawPlot(plot: Plot, width: number, height: number, label: string): Html {
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  try {
    chart.setOption(buildChartOption(plot, width));
    const [, inner = ""] = /^<svg[^>]*>(.*)<\/svg>\s*$/s.exec(chart.renderToSVGString()) ?? [];
    const head = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
    return new Html(`<svg role="img" aria-label="${escapeHtml(label)}" ${head}>${cleanSvg(inner, plot)}</svg>`);
  } finally {
    chart.dispose();
  }
}

/** Computes the height of a plot in pixels: from the number of bars of a ranking, from the width of any other plot. */
export function computeHeight(plot: Plot, width: number): number {
  if (plot.kind === "ranking") return Math.max(1, plot.bars.length) * rowPixels;
  return width > 900 ? 300 : width > 500 ? 260 : 220;
}

/**
 * Removes styles, which the page's Content-Security-Policy forbids. Removes classes and clip paths, because their names
 * would clash between drawings. Adds a title to each mark, which the library's `ecmeta` attributes identify. Text in
 * the SVG is escaped, so it never looks like a tag or an attribute.
 * https://echarts.apache.org/handbook/en/how-to/cross-platform/server/
 */
function cleanSvg(svg: string, plot: Plot): string {
  return svg
    .replace(/<(style|defs)\b.*?<\/\1>/gs, "")
    .replace(/ (?:style|class|clip-path|pointer-events|xml:space)="[^"]*"/g, "")
    .replace(/(<path [^>]*?) ecmeta_series_index="(\d+)" ecmeta_data_index="(\d+)"[^>]*>/g, (_, path, series, data) => {
      return `${path} data-mark="${series}:${data}"><title>${escapeHtml(markTitle(plot, Number(series), Number(data)))}</title>`;
    })
    .replace(/ ecmeta_\w+="[^"]*"/g, "")
    .replace(/\n+/g, "");
}

function markTitle(plot: Plot, seriesIndex: number, index: number): string {
  if (plot.kind === "ranking") return `${plot.bars[index]?.name}: ${counted(plot.bars[index]?.value ?? 0, plot.unit)}`;
  const { name = "", values = [] } = plot.series[seriesIndex] ?? {};
  return `${plot.labels[index]}, ${name}: ${counted(values[index] ?? 0, plot.unit)}`.trim();
}
