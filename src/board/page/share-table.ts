import { type Html, html } from "../../text/html.ts";
import { numberText, spentText } from "../format.ts";
import type { Share } from "../shares.ts";

interface Column {
  readonly title: string;
  readonly value: (share: Share) => number | undefined;
  readonly text: (value: number) => string;
}

const columns: readonly Column[] = [
  { title: "Waiting time", value: ({ waitedMs }) => waitedMs, text: spentText },
  { title: "Response time", value: ({ reactionMs }) => reactionMs, text: spentText },
  { title: "Notifications", value: ({ calls }) => calls, text: numberText },
  { title: "Held", value: ({ held }) => held, text: numberText },
  { title: "Finished", value: ({ finished }) => finished, text: numberText },
  { title: "Failed", value: ({ failed }) => failed, text: numberText },
  { title: "Sessions", value: ({ sessions }) => sessions, text: numberText },
  { title: "Tokens", value: ({ tokens }) => tokens, text: numberText },
  { title: "Credits", value: ({ credits }) => credits, text: numberText },
];
/** Columns that are left out if none of their values is known. */
const sparse = ["Reaction", "Tokens", "Credits"];

/** Renders the figures of projects or agents as a table. The page's script sorts the table by a column. */
export function shareTable(name: "Project" | "Agent", shares: readonly Share[]): Html {
  if (shares.length === 0) return html`<p class="none">None on this day.</p>`;
  const shown = columns.filter(
    ({ title, value }) => !sparse.includes(title) || shares.some((share) => value(share) !== undefined),
  );
  const heads = shown.map(({ title }) => head(title, title === "Waited" ? "descending" : "none"));
  const rows = shares.map((share) => {
    const cells = shown.map(({ value, text }) => cell(value(share), text));
    return html`<tr><th scope="row" data-value="${share.name}"><bdi>${share.name}</bdi></th>${cells}</tr>
`;
  });
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table of ${name.toLowerCase()}s"><table data-sortable="${name}"><thead><tr>${head(name, "none")}${heads}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

function head(title: string, sort: "descending" | "none"): Html {
  return html`<th scope="col" aria-sort="${sort}"><button type="button" data-sort>${title}</button></th>`;
}

function cell(value: number | undefined, text: (value: number) => string): Html {
  if (value === undefined) return html`<td data-value="-1">–</td>`;
  return html`<td data-value="${value}"${value === 0 ? html` class="zero"` : ""}>${text(value)}</td>`;
}
