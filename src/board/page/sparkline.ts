import { type Html, html } from "../../text/html.ts";
import { type FigureId, figureText, figureValue } from "../figure-texts.ts";
import { shortDayText } from "../format.ts";
import type { TrendDay } from "../trend.ts";

const height = 28;
const barWidth = 8;
const step = 10;
/** Minimum height of a bar, so that days without a value stay visible too. */
const minHeight = 1;

/** Renders a figure of several days as bars, the shown day last. Screen readers get the values as text. */
export function sparkline(id: FigureId, trend: readonly TrendDay[]): Html {
  const values = trend.map(({ figures }) => figureValue(id, figures) ?? 0);
  const max = Math.max(...values, 1);
  const texts = trend.map(({ day, figures }) => `${shortDayText(day)}: ${figureText(id, figures)}`);
  const bars = values.map((value, at) => {
    const barHeight = Math.max(minHeight, Math.round((value / max) * height));
    const state = at === values.length - 1 ? "shown" : "earlier";
    return html`<rect class="${state}" x="${at * step}" y="${height - barHeight}" width="${barWidth}" height="${barHeight}"><title>${texts[at] ?? ""}</title></rect>`;
  });
  return html`<svg class="spark" width="${trend.length * step}" height="${height}" role="img" aria-label="The last ${trend.length} days: ${texts.join(", ")}">${bars}</svg>`;
}
