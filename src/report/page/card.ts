import type { Plot, TimePlot } from "../plot.ts";
import { sum } from "../series.ts";
import { numberText, shareText } from "../format.ts";
import { colourOf } from "./colours.ts";
import { drawPlot, heightOf } from "./draw.ts";
import { type Html, html } from "./html.ts";
import { dataTable } from "./table.ts";

/** The widths a plot is drawn in by the size of its card, pixels; the style sheet shows the one that fits. */
const sizes = {
  full: { narrow: 340, medium: 640, wide: 1040 },
  half: { narrow: 340, medium: 520 },
  third: { narrow: 340, medium: 520 },
} as const;
const full: readonly string[] = ["credits"];
const third: readonly string[] = ["mcp", "skills", "commands"];

/** A plot with its title, its legend, and its numbers as a table. */
export function card(plot: Plot): Html {
  const size = full.includes(plot.id) ? "full" : third.includes(plot.id) ? "third" : "half";
  const isEmpty = plot.kind === "ranking" ? plot.total === 0 : plot.series.every(isNothing);
  return html`<section class="card ${size}" id="${plot.id}" aria-labelledby="${plot.id}-title">
<h2 id="${plot.id}-title">${plot.title}</h2>
<p class="about">${plot.about}</p>
${plot.kind === "ranking" || isEmpty ? [] : legend(plot)}
${isEmpty ? [] : [drawings(plot, sizes[size]), html`<details><summary>Numbers</summary>${plotTable(plot)}</details>`]}
</section>
`;
}

function isNothing({ values }: TimePlot["series"][number]): boolean {
  return values.every((value) => value === 0);
}

function drawings(plot: Plot, widths: Readonly<Record<string, number>>): Html {
  const drawing = ([name, width]: [string, number]): Html =>
    html`<div class="${name}">${drawPlot(plot, width, heightOf(plot, width), labelOf(plot))}</div>`;
  return html`<div class="plot">${Object.entries(widths).map(drawing)}</div>`;
}

function labelOf({ title, about }: Plot): string {
  return `${title}. ${about} The numbers follow as a table.`;
}

function legend({ kind, series }: TimePlot): Html {
  const entry = ({ name, note, isRest }: TimePlot["series"][number], at: number): Html =>
    html`<li><svg viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" rx="2.5" fill="${colourOf(kind, at, isRest)}"/></svg><bdi>${name}</bdi> <span>${note}</span></li>`;
  return html`<ul class="legend">${series.map(entry)}</ul>`;
}

function plotTable(plot: Plot): Html {
  if (plot.kind === "ranking") {
    const rows = plot.bars.map(({ name, value }) => [name, numberText(value), shareText(value, plot.total)]);
    return dataTable(plot.title, ["Name", plot.unit, "share"], rows, ["All", numberText(plot.total), ""]);
  }
  const whole = (n: number): number => sum(plot.series.map(({ values }) => values[n] ?? 0));
  const cell = (value: number, of: number): string =>
    plot.kind === "shares" ? shareText(value, of) : numberText(value);
  const rows = plot.labels.map((label, n) => [
    label,
    ...plot.series.map(({ values }) => cell(values[n] ?? 0, whole(n))),
  ]);
  const all = plot.series.map(({ values }) => sum(values));
  const foot = ["All", ...all.map((value) => cell(value, sum(all)))];
  // A sum of daily users counts nobody's head.
  return dataTable(
    plot.title,
    ["", ...plot.series.map(({ name }) => name)],
    rows,
    plot.kind === "lines" ? undefined : foot,
  );
}
