import { hintFor } from "../../core/failure-hints.ts";
import { type Html, html } from "../../text/html.ts";
import type { DayReport, Now } from "../board.ts";
import { figureTexts } from "../figure-texts.ts";
import { numberText, shortNumberText, timeText } from "../format.ts";
import type { Reach } from "../reach.ts";
import { laneRows } from "./lane-rows.ts";
import { logList } from "./log-list.ts";
import type { PageMode } from "./mode.ts";
import { shareTable } from "./share-table.ts";
import { sparkline } from "./sparkline.ts";
import { waitingList } from "./waiting-list.ts";

/** Names of the page regions that change, in page order. */
export const regionNames = ["waiting", "lanes", "figures", "projects", "agents", "reach", "log"] as const;
export type RegionName = (typeof regionNames)[number];

/** Renders all regions except `waiting`. */
export function dayRegions(report: DayReport, mode: PageMode): Readonly<Record<Exclude<RegionName, "waiting">, Html>> {
  return {
    lanes: laneRows(report),
    figures: figureTiles(report),
    projects: shareTable("Project", report.projects, mode),
    agents: shareTable("Agent", report.agents, mode),
    reach: reachTable(report, mode),
    log: html`${futureNote(report)}${logList(report.stories, mode)}`,
  };
}

/** Explains that events are missing because their time has not come. */
function futureNote({ futureEvents }: DayReport): Html {
  if (futureEvents === 0) return html``;
  const events = futureEvents === 1 ? "1 event is" : `${numberText(futureEvents)} events are`;
  return html`<p class="none">${events} dated in the future and left out: the clock of this machine has been changed.</p>`;
}

/** Renders the waiting sessions. */
export function waitingRegion(now: Now, mode: PageMode): Html {
  return waitingList(now, mode);
}

/** Renders the five figures for a day, each with the trend of fourteen days if it is known. */
function figureTiles(report: DayReport): Html {
  const { trend = [] } = report;
  const tiles = figureTexts(report).map(
    ({ id, title, text, usual }) =>
      html`<div class="tile ${id}"><dt>${title}</dt><dd class="value">${text}</dd><dd class="usual">${usual}</dd>${trend.length === 0 ? "" : html`<dd>${sparkline(id, trend)}</dd>`}</div>`,
  );
  return html`<dl class="tiles">${tiles}</dl>`;
}

/** Renders a table of the notifiers: messages sent, held back and lost, and the last error with its fix. */
function reachTable({ reach }: DayReport, mode: PageMode): Html {
  if (reach.length === 0) return html`<p class="none">No notifiers are configured.</p>`;
  const last = mode === "live" ? html`<th role="columnheader" scope="col"><span class="hidden">Test</span></th>` : "";
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table of notifiers"><table role="table" class="cards reach"><thead role="rowgroup"><tr role="row">${["Notifier", "Sent", "Held", "Lost"].map((title) => html`<th role="columnheader" scope="col">${title}</th>`)}<th role="columnheader" scope="col" class="word">Last error</th>${last}</tr></thead><tbody role="rowgroup">${reach.map((one) => reachRow(one, mode))}</tbody></table></div>`;
}

function reachRow({ notifier, sent, held, failed, error }: Reach, mode: PageMode): Html {
  const count = (label: string, value: number, emphasis = ""): Html =>
    html`<td role="cell" data-label="${label}" class="${value === 0 ? "zero" : emphasis}" title="${numberText(value)}">${shortNumberText(value)}</td>`;
  const button = html`<td role="cell"><button type="button" id="test-${notifier}" data-act="test" data-body="${JSON.stringify({ notifier })}" aria-label="Test: ${notifier}">Test</button></td>`;
  const last = html`<td role="cell" data-label="Last error" class="word">${error === undefined ? "" : errorText(error)}</td>`;
  return html`<tr role="row"><th role="rowheader" scope="row"><bdi>${notifier}</bdi></th>${count("Sent", sent)}${count("Held", held)}${count("Lost", failed, "bad")}${last}${mode === "live" ? button : ""}</tr>
`;
}

function errorText({ atMs, reason, isResolved }: NonNullable<Reach["error"]>): Html {
  const cure = isResolved ? "Later messages were sent." : hintFor(reason);
  return html`${timeText(atMs)} <bdi>${reason}</bdi>${cure === undefined ? "" : html`<br><span class="muted">${cure}</span>`}`;
}
