import { type Html, html } from "../../text/html.ts";
import { type FigureGroup, figureGroups } from "../figure-table.ts";
import type { Figure } from "../figures.ts";

/** Renders the key figures as tiles. */
export function tiles(figures: readonly Figure[]): Html {
  return html`<dl class="tiles">${figures.filter(({ group }) => group === "key").map(tile)}</dl>`;
}

function tile(figure: Figure): Html {
  const { id, title, note, briefChangeText: changeText, change = 0, gap } = figure;
  const changed = changeText === "" ? [] : html`<dd class="change">${arrow(change)}${changeText}</dd>`;
  return html`<div class="tile" id="figure-${id}"><dt>${title}</dt><dd class="value">${value(figure)}${gapBadge(gap)}</dd><dd class="note">${note}</dd>${changed}</div>`;
}

/** Renders a value. If it is shortened, the exact value is its tooltip and the text for screen readers. */
function value({ text, briefText }: Pick<Figure, "text" | "briefText">): Html {
  if (text === briefText) return html`${text}`;
  return html`<span title="${text}" aria-hidden="true">${briefText}</span><span class="hidden">${text}</span>`;
}

/** Renders an arrow next to the text of a change. The arrow's colour is neutral, because more is not always better. */
export function arrow(change: number): Html {
  const sign = Math.abs(change) < 0.0005 ? "" : change > 0 ? "▲" : "▼";
  return sign === "" ? html`` : html`<span class="arrow" aria-hidden="true">${sign}</span> `;
}

/** Renders a note on data that a figure or plot lacks. */
export function gapBadge(gap: string): Html {
  return gap === "" ? html`` : html` <span class="gap">${gap}</span>`;
}

/** Renders a card for each group of figures except the key figures. */
export function figureCards(figures: readonly Figure[]): Html[] {
  const groups = (Object.keys(figureGroups) as FigureGroup[]).filter((group) => group !== "key");
  return groups.map((group) => {
    const rows = figures.filter((figure) => figure.group === group).map(figureRow);
    return html`<section class="card quarter" id="${group}-figures" aria-labelledby="${group}-figures-title">
<h2 id="${group}-figures-title">${figureGroups[group]}</h2>
<dl class="figures">${rows}</dl>
</section>
`;
  });
}

function figureRow(figure: Figure): Html {
  const { id, title, briefChangeText: changeText, change = 0, gap } = figure;
  const about =
    gap === "" && changeText === ""
      ? []
      : html`<dd class="change">${changeText === "" ? [] : arrow(change)}${changeText}${gapBadge(gap)}</dd>`;
  return html`<div id="figure-${id}"><dt>${title}</dt><dd>${value(figure)}</dd>${about}</div>`;
}

/** Renders a section with the definition of each figure. */
export function definitions(figures: readonly Figure[]): Html {
  const entries = figures.map(({ title, text, briefText, definition }) => {
    const exact = text === briefText ? "" : ` Exactly ${text}.`;
    return html`<div><dt>${title}</dt><dd>${definition}${exact}</dd></div>`;
  });
  return html`<section class="card full" id="definitions" aria-labelledby="definitions-title">
<h2 id="definitions-title">What the figures mean</h2>
<p class="about">Days are UTC. A sum counts the days that the service has data for, and a mean is over these days. A change compares with the period of the same length before. The service does not report lines of code, acceptance rates, latency or quality.</p>
<dl class="definitions">${entries}</dl>
</section>
`;
}
