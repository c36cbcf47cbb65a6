import { type Html, html } from "./html.ts";

/** Numbers in rows, the first cell of each being its name. */
export function dataTable(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  foot: readonly string[] | undefined,
): Html {
  const titles = head.map((title) => html`<th scope="col"><bdi>${title}</bdi></th>`);
  const end = foot === undefined ? [] : html`<tfoot>${row(foot)}</tfoot>`;
  return html`<div class="scroll" role="region" aria-label="${caption}, numbers" tabindex="0"><table class="data"><caption>${caption}</caption><thead><tr>${titles}</tr></thead><tbody>${rows.map(row)}</tbody>${end}</table></div>`;
}

function row([name = "", ...cells]: readonly string[]): Html {
  return html`<tr><th scope="row"><bdi>${name}</bdi></th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;
}
