import { BarChart, LineChart } from "echarts/charts";
import { GridComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import type { Plot } from "../plot.ts";
import { counted } from "../format.ts";
import { chartOptionOf } from "./chart-option.ts";
import { escapeHtml, Html } from "./html.ts";

use([BarChart, LineChart, GridComponent, SVGRenderer]);

/** A bar of a ranking takes so much height, pixels. */
const rowPixels = 30;

/**
 * A plot as an SVG that belongs to the page: no styles and no ids of its own, colours by the page's properties, and on
 * every mark a title that says what it is, which browsers show at the pointer.
 * @param label what it is called where it cannot be seen
 */
export function drawPlot(plot: Plot, width: number, height: number, label: string): Html {
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  try {
    chart.setOption(chartOptionOf(plot, width));
    const [, inner = ""] = /^<svg[^>]*>(.*)<\/svg>\s*$/s.exec(chart.renderToSVGString()) ?? [];
    const head = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
    return new Html(`<svg role="img" aria-label="${escapeHtml(label)}" ${head}>${tidy(inner, plot)}</svg>`);
  } finally {
    chart.dispose();
  }
}

/** What suits a plot, pixels. */
export function heightOf(plot: Plot, width: number): number {
  if (plot.kind === "ranking") return Math.max(1, plot.bars.length) * rowPixels;
  return width > 900 ? 300 : width > 500 ? 260 : 220;
}

/**
 * Takes away what the page's Content-Security-Policy would refuse (styles) and what would clash where several drawings
 * stand on one page (classes, and the ids of clip paths, which cut nothing off here), and puts titles on the marks. Text
 * in it is escaped, so that none of it looks like a tag or an attribute. The marks are known by the numbers the library
 * writes for its own hydration.
 * https://echarts.apache.org/handbook/en/how-to/cross-platform/server/
 */
function tidy(svg: string, plot: Plot): string {
  return svg
    .replace(/<(style|defs)\b.*?<\/\1>/gs, "")
    .replace(/ (?:style|class|clip-path|pointer-events|xml:space)="[^"]*"/g, "")
    .replace(/(<path [^>]*?) ecmeta_series_index="(\d+)" ecmeta_data_index="(\d+)"[^>]*>/g, (_, path, series, data) => {
      return `${path} data-mark="${series}:${data}"><title>${escapeHtml(markTitle(plot, Number(series), Number(data)))}</title>`;
    })
    .replace(/ ecmeta_\w+="[^"]*"/g, "")
    .replace(/\n+/g, "");
}

function markTitle(plot: Plot, at: number, n: number): string {
  if (plot.kind === "ranking") return `${plot.bars[n]?.name}: ${counted(plot.bars[n]?.value ?? 0, plot.unit)}`;
  const { name = "", values = [] } = plot.series[at] ?? {};
  return `${plot.labels[n]}, ${name}: ${counted(values[n] ?? 0, plot.unit)}`.trim();
}
