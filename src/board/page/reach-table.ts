import { hintFor } from "../../core/failure-hints.ts";
import { type Html, html } from "../../text/html.ts";
import type { DayReport } from "../board.ts";
import { numberText, timeText } from "../format.ts";
import type { Reach } from "../reach.ts";
import type { PageMode } from "./mode.ts";

/** Renders each notifier with its sent, held and lost messages, its last error, and advice. */
export function reachTable({ reach }: DayReport, mode: PageMode): Html {
  if (reach.length === 0) return html`<p class="none">No notifier is configured.</p>`;
  const last = mode === "live" ? html`<th scope="col"><span class="hidden">Test</span></th>` : "";
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table of notifiers"><table class="reach"><thead><tr><th scope="col">Notifier</th><th scope="col">Sent</th><th scope="col">Held</th><th scope="col">Lost</th><th scope="col" class="word">Last error</th>${last}</tr></thead><tbody>${reach.map((one) => row(one, mode))}</tbody></table></div>`;
}

function row({ notifier, sent, held, failed, error }: Reach, mode: PageMode): Html {
  const count = (value: number): Html => html`<td${value === 0 ? html` class="zero"` : ""}>${numberText(value)}</td>`;
  const button = html`<td><button type="button" id="test-${notifier}" data-act="test" data-body="${JSON.stringify({ notifier })}" aria-label="Test: ${notifier}">Test</button></td>`;
  return html`<tr><th scope="row"><bdi>${notifier}</bdi></th>${count(sent)}${count(held)}<td class="${failed === 0 ? "zero" : "bad"}">${numberText(failed)}</td><td class="word">${error === undefined ? "" : errorText(error)}</td>${mode === "live" ? button : ""}</tr>
`;
}

function errorText({ atMs, reason, isOver }: NonNullable<Reach["error"]>): Html {
  const cure = isOver ? "Messages have been sent since." : hintFor(reason);
  return html`${timeText(atMs)} <bdi>${reason}</bdi>${cure === undefined ? "" : html`<br><span class="muted">${cure}</span>`}`;
}
