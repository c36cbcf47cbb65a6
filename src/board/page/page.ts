import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { agentTitle } from "../../agents/registry.ts";
import { kinds } from "../../core/vocabulary.ts";
import { findUp } from "../../files/paths.ts";
import { Html, html, renderDocument } from "../../text/html.ts";
import { localTime } from "../../text/time.ts";
import type { DayReport, Now } from "../board.ts";
import { addDays } from "../day.ts";
import { longDayText } from "../format.ts";
import { dayRegions, type RegionName, regionNames } from "./regions.ts";
import { formatTitle, waitingCount, waitingList } from "./waiting-list.ts";

const titles: Readonly<Record<RegionName, string>> = {
  waiting: "Waiting for you",
  lanes: "Timeline",
  figures: "The day in numbers",
  projects: "Projects",
  agents: "Agents",
  reach: "Deliveries",
  log: "Log",
};

/** Renders the board as a single file with its styles and without scripts. */
export function renderFile(report: DayReport, now: Now): string {
  const style = boardFile("board.css");
  const hash = `'sha256-${createHash("sha256").update(style).digest("base64")}'`;
  const policy = `default-src 'none'; style-src ${hash}; img-src data:; base-uri 'none'; form-action 'none'`;
  const icon = `data:image/svg+xml,${encodeURIComponent(renderIcon(0))}`;
  const head = html`<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="icon" href="${icon}">
<title>${longDayText(report.day)} · beckon</title>
<style>${new Html(style)}</style>`;
  const note = html`<p class="muted">As of ${localTime(now.nowMs).slice(0, -3)}.</p>`;
  return renderDocument(head, html`${renderHeader(report, note)}<main>${renderRegions(report, now, "file")}</main>`)
    .text;
}

/** Renders the live page. Its styles, script and icon are separate files. */
export function renderLive(report: DayReport, now: Now): string {
  const { day, isToday } = report;
  const count = waitingCount(now);
  const head = html`<link rel="icon" id="icon" href="icon.svg?n=${count}">
<link rel="stylesheet" href="board.css">
<title>${formatTitle(count)}</title>
<script type="module" src="board.js"></script>`;
  const next = isToday
    ? ""
    : html` <a id="next-day" href="?day=${addDays(day, 1)}">Next day →</a> <a href="./">Today</a>`;
  const days = html`<nav aria-label="Days"><a id="previous-day" href="?day=${addDays(day, -1)}">← Day before</a>${next}</nav>`;
  const foot = html`<p id="notice" role="status"></p><p id="spoken" class="hidden" role="status"></p>`;
  const body = html`${renderHeader(report, days)}<main data-day="${day}" data-today="${String(isToday)}">${renderRegions(report, now, "live")}</main>${foot}`;
  return renderDocument(head, body).text;
}

function renderHeader({ day }: DayReport, aside: Html): Html {
  return html`<header><p class="brand">${new Html(renderIcon(0))} beckon</p><h1>${longDayText(day)}</h1>${aside}</header>
`;
}

function renderRegions(report: DayReport, now: Now, mode: PageMode): Html[] {
  const contents = { waiting: waitingList(now, mode), ...dayRegions(report, mode) };
  // A file for a day other than today leaves out the waiting sessions.
  const shown = regionNames.filter((name) => name !== "waiting" || mode === "live" || report.isToday);
  return shown.map((name) => {
    const title = name === "figures" && report.isToday ? "Today in numbers" : titles[name];
    const tools = name === "log" && mode === "live" ? filters(report) : "";
    return html`<section class="card ${name}" aria-labelledby="${name}-title"><h2 id="${name}-title">${title}</h2>${tools}<div id="${name}">${contents[name]}</div></section>
`;
  });
}

function filters({ projects, agents }: DayReport): Html {
  const select = (name: string, values: readonly string[], text = (value: string) => value): Html =>
    html`<label>${name} <select name="${name.toLowerCase()}"><option value="">all</option>${values.map((value) => html`<option value="${value}">${text(value)}</option>`)}</select></label>`;
  const names = (all: readonly { readonly name: string }[]): string[] => all.map(({ name }) => name).sort();
  return html`<form id="filters" role="search"><label>Search the log <input type="search" name="words" autocomplete="off" spellcheck="false" aria-keyshortcuts="/"></label>${select("Kind", kinds)}${select("Project", names(projects))}${select("Agent", names(agents), agentTitle)}</form>`;
}

/** Reads a file from `templates/board`. */
export function boardFile(name: "board.css" | "board.js"): string {
  const path = findUp(import.meta.url, `templates/board/${name}`);
  if (path === undefined) throw new Error(`beckon's file templates/board/${name} is missing`);
  return readFileSync(path, "utf8");
}

/** Renders the page's icon as SVG: a bell with the number of waiting sessions. The number shown is at most 99. */
export function renderIcon(count: number): string {
  const bell = "M16 4a8 8 0 0 0-8 8v6l-3 5h22l-3-5v-6a8 8 0 0 0-8-8zm-4 21a4 4 0 0 0 8 0z";
  const badge =
    count === 0
      ? ""
      : `<circle cx="22" cy="22" r="10" fill="#c2570c"/><text x="22" y="27" font-family="sans-serif" font-size="14" font-weight="700" text-anchor="middle" fill="#fff">${Math.min(99, count)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" aria-hidden="true"><path fill="#6b7a90" d="${bell}"/>${badge}</svg>`;
}

/** Mode of a page: `live` has actions and updates, `file` is for reading only. */
export type PageMode = "live" | "file";
