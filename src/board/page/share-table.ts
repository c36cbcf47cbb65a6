import { agentTitle } from "../../agents/registry.ts";
import { type Html, html } from "../../text/html.ts";
import { numberText, shortNumberText, spentText } from "../format.ts";
import type { Share } from "../shares.ts";
import type { PageMode } from "./mode.ts";

interface Column {
  readonly title: string;
  readonly value: (share: Share) => number | undefined;
  readonly text: (value: number) => string;
  /** True if the column is left out when none of its values is known. */
  readonly isSparse?: true;
}

const columns: readonly Column[] = [
  { title: "Waiting time", value: ({ waitedMs }) => waitedMs, text: spentText },
  { title: "Response time", value: ({ reactionMs }) => reactionMs, text: spentText, isSparse: true },
  { title: "Notifications", value: ({ calls }) => calls, text: shortNumberText },
  { title: "Held", value: ({ held }) => held, text: shortNumberText },
  { title: "Finished", value: ({ finished }) => finished, text: shortNumberText },
  { title: "Failed", value: ({ failed }) => failed, text: shortNumberText },
  { title: "Sessions", value: ({ sessions }) => sessions, text: shortNumberText },
  { title: "Tokens", value: ({ tokens }) => tokens, text: shortNumberText, isSparse: true },
  { title: "Credits", value: ({ credits }) => credits, text: shortNumberText, isSparse: true },
];

/** Renders the figures of projects or agents as a table. The live page's script sorts the table by a column. */
export function shareTable(name: "Project" | "Agent", shares: readonly Share[], mode: PageMode): Html {
  if (shares.length === 0) return html`<p class="none">None on this day.</p>`;
  const shown = columns.filter(
    ({ isSparse, value }) => !isSparse || shares.some((share) => value(share) !== undefined),
  );
  const [byWait] = shown;
  const head = (title: string, sort: "descending" | "none"): Html =>
    mode === "live"
      ? html`<th role="columnheader" scope="col" aria-sort="${sort}"><button type="button" data-sort>${title}</button></th>`
      : html`<th role="columnheader" scope="col">${title}</th>`;
  const heads = shown.map((column) => head(column.title, column === byWait ? "descending" : "none"));
  const rows = shares.map((share) => {
    const text = name === "Agent" ? agentTitle(share.name) : share.name;
    return html`<tr role="row"><th role="rowheader" scope="row" data-value="${text}" title="${text}"><bdi>${text}</bdi></th>${shown.map((column) => cell(column, share))}</tr>
`;
  });
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table of ${name.toLowerCase()}s"><table role="table" class="cards shares"${mode === "live" ? html` data-sortable="${name}"` : ""}><thead role="rowgroup"><tr role="row">${head(name, "none")}${heads}</tr></thead><tbody role="rowgroup">${rows}</tbody></table></div>`;
}

/** Renders a value. If the value is shortened, the exact value is in the tooltip. */
function cell({ title, value: read, text }: Column, share: Share): Html {
  const value = read(share);
  if (value === undefined) return html`<td role="cell" data-label="${title}" data-value="-1">–</td>`;
  const shown = text(value);
  const isShortened = text === shortNumberText && shown !== numberText(value);
  return html`<td role="cell" data-label="${title}" data-value="${value}"${value === 0 ? html` class="zero"` : ""}${isShortened ? html` title="${numberText(value)}"` : ""}>${shown}</td>`;
}
