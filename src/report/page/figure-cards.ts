import { type Html, html } from "../../text/html.ts";
import { type FigureGroup, figureGroups } from "../figure-table.ts";
import type { Figure } from "../figures.ts";

/** Renders the key figures as tiles. */
export function tiles(figures: readonly Figure[]): Html {
  return html`<dl class="tiles">${figures.filter(({ group }) => group === "key").map(tile)}</dl>`;
}

function tile({ id, title, text, note, changeText, gap }: Figure): Html {
  const change = changeText === "" ? [] : html`<dd class="change">${changeText}</dd>`;
  return html`<div class="tile" id="figure-${id}"><dt>${title}</dt><dd class="value">${text}${gapBadge(gap)}</dd><dd class="note">${note}</dd>${change}</div>`;
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

function figureRow({ id, title, text, changeText, gap }: Figure): Html {
  const about = gap === "" && changeText === "" ? [] : html`<dd class="change">${changeText}${gapBadge(gap)}</dd>`;
  return html`<div id="figure-${id}"><dt>${title}</dt><dd>${text}</dd>${about}</div>`;
}

/** Renders a section with the definition of each figure. */
export function definitions(figures: readonly Figure[]): Html {
  const entries = figures.map(({ title, definition }) => html`<div><dt>${title}</dt><dd>${definition}</dd></div>`);
  return html`<section class="card full" id="definitions" aria-labelledby="definitions-title">
<h2 id="definitions-title">What the figures mean</h2>
<p class="about">Days are UTC. A sum counts the days that the service has data for, and a mean is over these days. A change compares with the period of the same length before.</p>
<dl class="definitions">${entries}</dl>
</section>
`;
}
