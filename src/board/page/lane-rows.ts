import { type Html, html } from "../../text/html.ts";
import type { DayReport } from "../board.ts";
import { hourStep, hoursIn, type Span } from "../day.ts";
import { spentText, timeText } from "../format.ts";
import { activeHours, type Lane, type LaneMark, type LaneSpan } from "../lanes.ts";

/** Renders a lane for each project. Positions are percentages, so that the lanes fit every page width. */
export function laneRows(report: DayReport): Html {
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
