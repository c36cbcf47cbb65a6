import { type Html, html } from "../../text/html.ts";
import type { DayReport, Now } from "../board.ts";
import { figureTexts } from "../figure-texts.ts";
import { laneRows } from "./lane-rows.ts";
import { logList } from "./log-list.ts";
import type { PageMode } from "./mode.ts";
import { reachTable } from "./reach-table.ts";
import { shareTable } from "./share-table.ts";
import { waitingList } from "./waiting-list.ts";

/** Regions of the page that change, in page order. */
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

/** Renders the five figures of a day. */
function figureTiles(report: DayReport): Html {
  const tiles = figureTexts(report).map(
    ({ id, title, text, usual }) =>
      html`<div class="tile ${id}"><dt>${title}</dt><dd class="value">${text}</dd><dd class="usual">${usual}</dd></div>`,
  );
  return html`<dl class="tiles">${tiles}</dl>`;
}
