import { type Html, html } from "../../text/html.ts";
import { formatCell, type Section, type SectionCell, type SectionColumn } from "../section.ts";
import { arrow, gapBadge } from "./figure-cards.ts";

/**
 * Renders a section of the page: a sentence and a table.
 * @param currency ISO 4217 code for money
 */
export function sectionCard(section: Section, currency: string): Html {
  const { id, title, about, gap, rows, meter } = section;
  return html`<section class="card full" id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}${gapBadge(gap)}</h2>
<p class="about"><bdi>${about}</bdi></p>
${meter === undefined ? [] : drawMeter(meter)}${rows.length === 0 ? [] : table(section, currency)}
</section>
`;
}

/** Draws shares of a whole as a bar, with a line at 100%. */
function drawMeter({ used, forecast, label }: NonNullable<Section["meter"]>): Html {
  const scale = 100 / Math.max(1, forecast, used);
  const round = (value: number): number => Math.round(value * scale * 100) / 100;
  return html`<svg class="meter" role="img" aria-label="${label}" viewBox="0 0 100 3" preserveAspectRatio="none"><rect width="100" height="3" fill="var(--line)"/><rect width="${round(forecast)}" height="3" fill="var(--level-3)"/><rect width="${round(used)}" height="3" fill="var(--level-1)"/><rect x="${round(1) - 0.3}" width="0.3" height="3" fill="var(--ink)"/></svg>`;
}

function table({ title, columns, rows }: Section, currency: string): Html {
  const heads = columns.map((column) => html`<th scope="col" class="${alignment(column)}">${column.title}</th>`);
  const body = rows.map((cells) => {
    const [first, ...others] = columns.map((column, index) => ({ column, cell: cells[index] }));
    const rest = others.map(({ column, cell }) => dataCell(cell, column, currency));
    return html`<tr><th scope="row"><bdi>${first ? formatCell(first.cell, first.column, currency) : ""}</bdi></th>${rest}</tr>
`;
  });
  return html`<div class="scroll" role="region" aria-label="${title}, table" tabindex="0"><table class="list"><caption>${title}</caption><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div>`;
}

function dataCell(cell: SectionCell, column: SectionColumn, currency: string): Html {
  const text = formatCell(cell, column, currency);
  const isSigned = (column.kind === "points" || column.kind === "change") && typeof cell === "number";
  return html`<td class="${alignment(column)}">${isSigned ? arrow(cell) : []}<bdi>${text}</bdi></td>`;
}

function alignment({ kind }: SectionColumn): string {
  return kind === "word" || kind === "name" ? "word" : "";
}
