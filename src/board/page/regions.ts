import { agentTitle } from "../../agents/registry.ts";
import { hintFor } from "../../core/errors.ts";
import type { JournalLine } from "../../journal/journal-line.ts";
import { describeOutcome } from "../../journal/journal-text.ts";
import { oneLine } from "../../text/clean.ts";
import { type Html, html } from "../../text/html.ts";
import { localTime } from "../../text/time.ts";
import type { DayReport, TrendDay } from "../board.ts";
import { hourStep, hoursIn, type Span } from "../day.ts";
import { type FigureId, figureText, figureTexts, figureValue, type Reach, type Share } from "../figures.ts";
import { shortDayText, shortNumberText, spentText, timeText, wholeNumberText } from "../format.ts";
import type { Story } from "../story.ts";
import { activeHours, type Lane, type LaneMark, type LaneSpan } from "../timeline.ts";
import type { PageMode } from "./page.ts";
import { kindTexts } from "./waiting-list.ts";

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
  const events = futureEvents === 1 ? "1 event is" : `${wholeNumberText(futureEvents)} events are`;
  return html`<p class="none">${events} dated in the future and left out: the clock of this machine has been changed.</p>`;
}

/** Renders the five figures for a day, each with the trend of fourteen days if it is known. */
function figureTiles(report: DayReport): Html {
  const { trend = [] } = report;
  const tiles = figureTexts(report).map(({ id, title, text, usual }) => {
    const [value = "", held] = text.split(" · ");
    const notes = [held, usual].map((note) => (note ? html`<dd class="usual">${note}</dd>` : ""));
    return html`<div class="tile ${id}"><dt>${title}</dt><dd class="value">${value}</dd>${notes}${trend.length === 0 ? "" : html`<dd>${trendLine(id, trend)}</dd>`}</div>`;
  });
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
    html`<td role="cell" data-label="${label}" class="${value === 0 ? "zero" : emphasis}" title="${wholeNumberText(value)}">${shortNumberText(value)}</td>`;
  const button = html`<td role="cell"><button type="button" id="test-${notifier}" data-act="test" data-body="${JSON.stringify({ notifier })}" aria-label="Test: ${notifier}">Test</button></td>`;
  const last = html`<td role="cell" data-label="Last error" class="word">${error === undefined ? "" : errorText(error)}</td>`;
  return html`<tr role="row"><th role="rowheader" scope="row"><bdi>${notifier}</bdi></th>${count("Sent", sent)}${count("Held", held)}${count("Lost", failed, "bad")}${last}${mode === "live" ? button : ""}</tr>
`;
}

function errorText({ atMs, reason, isResolved }: NonNullable<Reach["error"]>): Html {
  const cure = isResolved ? "Later messages were sent." : hintFor(reason);
  return html`${timeText(atMs)} <bdi>${reason}</bdi>${cure === undefined ? "" : html`<br><span class="muted">${cure}</span>`}`;
}

const height = 28;
const barWidth = 8;
const step = 10;
/** Minimum height of a bar, so that days without a value stay visible too. */
const minHeight = 1;

/** Renders a figure of several days as bars, the shown day last. Screen readers get the values as text. */
function trendLine(id: FigureId, trend: readonly TrendDay[]): Html {
  const values = trend.map(({ figures }) => figureValue(id, figures) ?? 0);
  const max = Math.max(...values, 1);
  const texts = trend.map(({ day, figures }) => `${shortDayText(day)}: ${figureText(id, figures)}`);
  const bars = values.map((value, at) => {
    const barHeight = Math.max(minHeight, Math.round((value / max) * height));
    const state = at === values.length - 1 ? "shown" : "earlier";
    return html`<rect class="${state}" x="${at * step}" y="${height - barHeight}" width="${barWidth}" height="${barHeight}"><title>${texts[at] ?? ""}</title></rect>`;
  });
  return html`<svg class="spark" width="${trend.length * step}" height="${height}" role="img" aria-label="The last ${trend.length} days: ${texts.join(", ")}">${bars}</svg>`;
}

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
function shareTable(name: "Project" | "Agent", shares: readonly Share[], mode: PageMode): Html {
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
  const isShortened = text === shortNumberText && shown !== wholeNumberText(value);
  return html`<td role="cell" data-label="${title}" data-value="${value}"${value === 0 ? html` class="zero"` : ""}${isShortened ? html` title="${wholeNumberText(value)}"` : ""}>${shown}</td>`;
}

/** Renders a lane for each project. Positions are percentages, so that the lanes fit every page width. */
function laneRows(report: DayReport): Html {
  const { lanes, nowMs } = report;
  if (lanes.length === 0) return html`<p class="none">No events on this day.</p>`;
  const span = activeHours(lanes, report.span, nowMs);
  const hours = hoursIn(span, hourStep(span, maxHourMarks));
  const texts = hours.map(({ atMs, hour }, at) => {
    const text = `${String(hour).padStart(2, "0")}:00`;
    return html`<text x="${percent(atMs, span)}" y="12" class="${at % 2 === 0 ? "" : "odd"}">${text}</text>`;
  });
  const lines = hours.map(({ atMs }) => line("hour", percent(atMs, span)));
  const now = report.isToday ? line("now", percent(nowMs, span)) : html``;
  const rows = lanes.map((lane) => laneRow(lane, span, [lines, now]));
  return html`<div class="lanes"><div class="lane axis" aria-hidden="true"><span></span><svg width="100%" height="16">${texts}</svg><span></span></div>
${rows}</div>
<ul class="legend" aria-hidden="true"><li class="waited">waiting for you</li><li class="working">working</li><li class="silenced">message held</li><li class="done">finished</li><li class="failed">failed</li></ul>`;
}

/** Maximum number of marked hours. */
const maxHourMarks = 9;

function line(kind: "hour" | "now", x: string): Html {
  return html`<line class="${kind}" x1="${x}" x2="${x}" y1="0" y2="100%"/>`;
}

function laneRow(lane: Lane, span: Span, [lines, now]: readonly [readonly Html[], Html]): Html {
  const { project, spans, marks, waitedMs } = lane;
  return html`<div class="lane"><span class="name" title="${project}"><bdi>${project}</bdi></span><svg width="100%" height="26" role="img" aria-label="${laneText(lane)}">${lines}${spans.map((item) => bar(item, span))}${marks.map((item) => dot(item, span))}${now}</svg><span class="spent">${waitedMs === 0 ? "" : spentText(waitedMs)}</span></div>
`;
}

const stateTexts = {
  waited: "waited",
  working: "worked",
  silenced: "message held",
  done: "finished",
  failed: "failed",
} as const;

/** Top and height of each bar in its lane, pixels. */
const places = { waited: [4, 18], working: [9, 8], silenced: [22, 3] } as const;

function bar({ state, startMs, endMs, label }: LaneSpan, span: Span): Html {
  const [y, height] = places[state];
  const width = `${round(((endMs - startMs) / (span.endMs - span.startMs)) * 100)}%`;
  const text = `${stateTexts[state]} ${spentText(endMs - startMs)}, ${timeText(startMs)}–${timeText(endMs)} · ${label}`;
  return html`<rect class="${state}" x="${percent(startMs, span)}" y="${y}" width="${width}" height="${height}"><title>${text}</title></rect>`;
}

function dot({ state, atMs, label }: LaneMark, span: Span): Html {
  const text = `${stateTexts[state]} ${timeText(atMs)} · ${label}`;
  return html`<circle class="${state}" cx="${percent(atMs, span)}" cy="13" r="4"><title>${text}</title></circle>`;
}

/** Describes a lane for screen readers. */
function laneText({ project, waitedMs, workedMs, marks, spans }: Lane): string {
  const count = (state: LaneMark["state"]): number => marks.filter((item) => item.state === state).length;
  const held = spans.filter(({ state }) => state === "silenced").length;
  const parts = [`waited ${spentText(waitedMs)}`, `worked ${spentText(workedMs)}`, `${count("done")} finished`];
  return `${project}: ${[...parts, `${count("failed")} failed`, `${held} held`].join(", ")}`;
}

function percent(atMs: number, { startMs, endMs }: Span): string {
  return `${round(((atMs - startMs) / (endMs - startMs)) * 100)}%`;
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

/** Maximum number of events that the live page lists or finds. Older events are left out. */
export const maxShown = 200;

/**
 * Renders events, newest first, with times or, if `scope` is `found`, with dates. On the live page, opening an event
 * loads its story.
 */
export function logList(stories: readonly Story[], mode: PageMode, scope: "day" | "found" = "day"): Html {
  if (stories.length === 0) return html`<p class="none">No event.</p>`;
  const shown = mode === "live" ? stories.slice(0, maxShown) : stories;
  const more = stories.length - shown.length;
  const rest =
    more === 0 ? "" : html`<p class="none">${more} older ones are not shown; a filter or a search finds them.</p>`;
  const isFull = scope === "found" && shown.length >= maxShown;
  const found = isFull ? html`<p class="none">These are the newest ${maxShown}; more words find fewer.</p>` : "";
  return html`<ol class="log">${shown.map((story) => entry(story, mode, scope))}</ol>${rest}${found}`;
}

function entry(story: Story, mode: PageMode, scope: "day" | "found"): Html {
  const { id, atMs, kind, agent, project, title, summary, lines } = story;
  const [date = "", time = ""] = localTime(atMs).split(" ");
  const reason = lines.findLast((line) => line.reason !== undefined)?.reason;
  const text =
    [title, summary && oneLine(summary)].filter(Boolean).join(" · ") || (scope === "found" ? (reason ?? "") : "");
  return html`<li><details id="event-${id}" data-event="${id}"><summary><time datetime="${new Date(atMs).toISOString()}" title="${date}">${scope === "found" ? date : time}</time> <span class="tag ${kind}">${kind === "info" ? story.event : kindTexts[kind]}</span> <span class="where"><bdi>${project}</bdi> <span class="muted"><bdi>${agentTitle(agent)}</bdi></span></span> <span class="what" title="${text}"><bdi>${text}</bdi></span> <span class="came ${readOutcome(lines)}">${readOutcome(lines)}</span></summary>${mode === "file" ? linesTable(lines) : html`<div class="story"></div>`}</details></li>
`;
}

/** Returns an event's outcome in one word: lost messages take precedence over sent messages. */
function readOutcome(lines: readonly JournalLine[]): string {
  const statuses = new Set<string>(lines.map(({ status }) => status));
  const newest = new Map(lines.map(({ notifier, status }) => [notifier, status]));
  if (![...newest.values()].includes("held")) statuses.delete("held"); // the hold has ended
  const order = ["rejected", "failed", "expired", "retrying", "sent", "held", "skipped"];
  return order.find((status) => statuses.has(status)) ?? "";
}

function linesTable(lines: readonly JournalLine[]): Html {
  return storyTable(
    lines.map((line) => [localTime(line.at).slice(11), line.status, line.notifier ?? "", describeOutcome(line)]),
  );
}

/** Renders rows as a table. */
export function storyTable(rows: readonly (readonly string[])[]): Html {
  const cells = (row: readonly string[]): Html[] => row.map((cell) => html`<td><bdi>${cell}</bdi></td>`);
  return html`<table class="story-rows">${rows.map((row) => html`<tr>${cells(row)}</tr>`)}</table>`;
}
