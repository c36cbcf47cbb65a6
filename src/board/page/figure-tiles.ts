import { type Html, html } from "../../text/html.ts";
import type { DayReport } from "../board.ts";
import { figureTexts } from "../figure-texts.ts";

/** The five figures of a day. */
export function figureTiles(report: DayReport): Html {
  const tiles = figureTexts(report).map(
    ({ id, title, text, usual }) =>
      html`<div class="tile ${id}"><dt>${title}</dt><dd class="value">${text}</dd><dd class="usual">${usual}</dd></div>`,
  );
  return html`<dl class="tiles">${tiles}</dl>`;
}
