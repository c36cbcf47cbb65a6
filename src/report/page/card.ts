import { BarChart, LineChart } from "echarts/charts";
import { GridComponent, MarkLineComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { escapeHtml, Html, html } from "../../text/html.ts";
import { countText, numberText, shareText } from "../format.ts";
import type { Plot, TimePlot } from "../plots.ts";
import { sum } from "../series.ts";
import { buildChartOption, chooseColour } from "./chart-option.ts";
import { gapBadge } from "./figure-cards.ts";

/** Widths in pixels at which a plot on a full-width card is drawn; the style sheet shows the drawing that fits. */
const fullWidths = { narrow: 340, medium: 640, wide: 1040 };

/** Widths in pixels at which a plot on a narrower card is drawn. */
const widths = { narrow: 340, medium: 520 };
/** Size of a plot's card; default: `half`. */
const cardSizes: Readonly<Record<string, string>> = {
  credits: "full",
  tiers: "third",
  languages: "third",
  extensions: "third",
  mcp: "third",
  skills: "third",
  commands: "third",
};

/** Renders a section of the page: a plot with its title and legend, and its numbers as a table. */
export function card(plot: Plot): Html {
  const size = cardSizes[plot.id] ?? "half";
  // The legend shows the values of a single day already.
  const isSingleDay = plot.kind !== "ranking" && plot.labels.length === 1;
  const isEmpty = plot.kind === "ranking" ? plot.total === 0 : plot.series.every(({ values }) => sum(values) === 0);
  return html`<section class="card ${size}" id="${plot.id}" aria-labelledby="${plot.id}-title">
<h2 id="${plot.id}-title">${plot.title}${gapBadge(plot.gap)}</h2>
<p class="about">${plot.about}</p>
${plot.kind === "ranking" || isEmpty ? [] : legend(plot)}
${isEmpty ? [] : [isSingleDay ? [] : drawings(plot, size === "full" ? fullWidths : widths), html`<details><summary>Numbers</summary>${plotTable(plot)}</details>`]}
</section>
`;
}

function drawings(plot: Plot, pixels: Readonly<Record<string, number>>): Html {
  const drawing = ([name, width]: [string, number]): Html =>
    html`<div class="${name}">${drawPlot(plot, width, computeHeight(plot, width), formatLabel(plot))}</div>`;
  return html`<div class="plot">${Object.entries(pixels).map(drawing)}</div>`;
}

function formatLabel(plot: Plot): string {
  const marks = plot.kind === "ranking" ? [] : plot.marks.map(({ title }) => ` ${title}.`);
  return `${plot.title}. ${plot.about}${marks.join("")} The numbers follow as a table.`;
}

function legend({ kind, series }: TimePlot): Html {
  const entry = ({ name, note, isRest }: TimePlot["series"][number], seriesIndex: number): Html =>
    html`<li><svg viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" rx="2.5" fill="${chooseColour(kind, seriesIndex, isRest)}"/></svg><bdi>${name}</bdi> <span>${note}</span></li>`;
  return html`<ul class="legend">${series.map(entry)}</ul>`;
}

function plotTable(plot: Plot): Html {
  if (plot.kind === "ranking") {
    const rows = plot.bars.map(({ name, value }) => [name, numberText(value), shareText(value, plot.total)]);
    return dataTable(plot.title, ["Name", plot.unit, "share"], rows, ["Total", numberText(plot.total), ""]);
  }
  const columnTotal = (index: number): number => sum(plot.series.map(({ values }) => values[index] ?? 0));
  const cell = (value: number | null | undefined, total: number): string => {
    if (value === null || value === undefined) return "–";
    return plot.kind === "shares" ? shareText(value, total) : numberText(value);
  };
  const head = ["Date", ...plot.series.map(({ name }) => name)];
  const cells = (index: number): string[] => plot.series.map(({ values }) => cell(values[index], columnTotal(index)));
  const rows = plot.labels.map((label, index) => [label, ...cells(index)]);
  // Active users of several days do not add up to a number of people.
  if (plot.kind === "lines") return dataTable(plot.title, head, rows);
  const all = plot.series.map(({ values }) => sum(values));
  return dataTable(plot.title, head, rows, ["Total", ...all.map((value) => cell(value, sum(all)))]);
}

/** Renders a table whose first column has the row names. */
function dataTable(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  foot?: readonly string[],
): Html {
  const titles = head.map((title) => html`<th scope="col"><bdi>${title}</bdi></th>`);
  const end = foot === undefined ? [] : html`<tfoot>${row(foot)}</tfoot>`;
  return html`<div class="scroll" role="region" aria-label="${caption}, numbers" tabindex="0"><table class="data"><caption>${caption}</caption><thead><tr>${titles}</tr></thead><tbody>${rows.map(row)}</tbody>${end}</table></div>`;
}

function row([name = "", ...cells]: readonly string[]): Html {
  return html`<tr><th scope="row"><bdi>${name}</bdi></th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;
}

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
  if (plot.kind === "ranking")
    return `${plot.bars[index]?.name}: ${countText(plot.bars[index]?.value ?? 0, plot.unit)}`;
  const { name = "", values = [] } = plot.series[seriesIndex] ?? {};
  return `${plot.labels[index]}, ${name}: ${countText(values[index] ?? 0, plot.unit)}`.trim();
}
