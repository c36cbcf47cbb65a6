import type { Plot, TimePlot } from "../plot.ts";
import { sum } from "../series.ts";
import { numberText, shareText } from "../words.ts";
import { colourOf } from "./colours.ts";
import { drawPlot, heightOf } from "./draw.ts";
import { type Html, html } from "./html.ts";
import { dataTable } from "./table.ts";

/** The widths a plot is drawn in, pixels; the style sheet shows the one that fits. */
const wideWidths = { narrow: 340, medium: 640, wide: 1040 } as const;
const halfWidths = { narrow: 340, medium: 520 } as const;

/** A plot with its title, its legend, and its numbers as a table. */
export function card(plot: Plot): Html {
  const widths: Readonly<Record<string, number>> = plot.id === "credits" ? wideWidths : halfWidths;
  const drawings = Object.entries(widths).map(
    ([name, width]) => html`<div class="${name}">${drawPlot(plot, width, heightOf(plot, width), labelOf(plot))}</div>`,
  );
  const isEmpty = plot.kind === "ranking" && plot.total === 0;
  return html`<section class="card ${plot.id === "credits" ? "full" : ""}" id="${plot.id}" aria-labelledby="${plot.id}-title">
<h2 id="${plot.id}-title">${plot.title}</h2>
<p class="about">${plot.about}</p>
${plot.kind === "ranking" ? [] : legend(plot)}
${isEmpty ? [] : html`<div class="plot ${"wide" in widths ? "three" : "two"}">${drawings}</div>`}
${isEmpty ? [] : html`<details><summary>Numbers</summary>${plotTable(plot)}</details>`}
</section>
`;
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
