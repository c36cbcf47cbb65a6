import { hintFor } from "../../core/failure-hints.ts";
import { type Html, html } from "../../text/html.ts";
import type { DayReport, Now } from "../board.ts";
import { figureTexts } from "../figure-texts.ts";
import { numberText, timeText } from "../format.ts";
import type { Reach } from "../reach.ts";
import { laneRows } from "./lane-rows.ts";
import { logList } from "./log-list.ts";
import type { PageMode } from "./mode.ts";
import { shareTable } from "./share-table.ts";
import { waitingList } from "./waiting-list.ts";

/** Names of the page regions that change, in page order. */
export const regionNames = ["waiting", "lanes", "figures", "projects", "agents", "reach", "log"] as const;
export type RegionName = (typeof regionNames)[number];

/** Renders all regions except `waiting`. */
export function dayRegions(report: DayReport, mode: PageMode): Readonly<Record<Exclude<RegionName, "waiting">, Html>> {
  return {
    lanes: laneRows(report),
    figures: figureTiles(report),
    projects: shareTable("Project", report.projects),
    agents: shareTable("Agent", report.agents),
    reach: reachTable(report, mode),
    log: logList(report.stories, mode),
  };
}

/** Renders the waiting sessions. */
export function waitingRegion(now: Now, mode: PageMode): Html {
  return waitingList(now, mode);
}

/** Renders the five figures for a day. */
function figureTiles(report: DayReport): Html {
  const tiles = figureTexts(report).map(
    ({ id, title, text, usual }) =>
      html`<div class="tile ${id}"><dt>${title}</dt><dd class="value">${text}</dd><dd class="usual">${usual}</dd></div>`,
  );
  return html`<dl class="tiles">${tiles}</dl>`;
}

/** Renders a table of the notifiers: messages sent, held back and lost, and the last error with its fix. */
function reachTable({ reach }: DayReport, mode: PageMode): Html {
  if (reach.length === 0) return html`<p class="none">No notifiers are configured.</p>`;
  const last = mode === "live" ? html`<th scope="col"><span class="hidden">Test</span></th>` : "";
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table of notifiers"><table class="reach"><thead><tr><th scope="col">Notifier</th><th scope="col">Sent</th><th scope="col">Held</th><th scope="col">Lost</th><th scope="col" class="word">Last error</th>${last}</tr></thead><tbody>${reach.map((one) => reachRow(one, mode))}</tbody></table></div>`;
}

function reachRow({ notifier, sent, held, failed, error }: Reach, mode: PageMode): Html {
  const count = (value: number): Html => html`<td${value === 0 ? html` class="zero"` : ""}>${numberText(value)}</td>`;
  const button = html`<td><button type="button" id="test-${notifier}" data-act="test" data-body="${JSON.stringify({ notifier })}" aria-label="Test: ${notifier}">Test</button></td>`;
  return html`<tr><th scope="row"><bdi>${notifier}</bdi></th>${count(sent)}${count(held)}<td class="${failed === 0 ? "zero" : "bad"}">${numberText(failed)}</td><td class="word">${error === undefined ? "" : errorText(error)}</td>${mode === "live" ? button : ""}</tr>
`;
}

function errorText({ atMs, reason, isResolved }: NonNullable<Reach["error"]>): Html {
  const cure = isResolved ? "Later messages were sent." : hintFor(reason);
  return html`${timeText(atMs)} <bdi>${reason}</bdi>${cure === undefined ? "" : html`<br><span class="muted">${cure}</span>`}`;
}
