import { agentTitle } from "../../agents/registry.ts";
import type { JournalLine } from "../../journal/journal-line.ts";
import { describeOutcome } from "../../journal/journal-text.ts";
import { type Html, html } from "../../text/html.ts";
import { localTime } from "../../text/time.ts";
import type { Story } from "../story.ts";
import type { PageMode } from "./page.ts";

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
  const text = [title, summary].filter(Boolean).join(" · ") || (scope === "found" ? (reason ?? "") : "");
  return html`<li><details id="event-${id}" data-event="${id}"><summary><time datetime="${new Date(atMs).toISOString()}" title="${date}">${scope === "found" ? date : time}</time> <span class="tag ${kind}">${kind === "info" ? story.event : kind}</span> <span class="where"><bdi>${project}</bdi> <span class="muted"><bdi>${agentTitle(agent)}</bdi></span></span> <span class="what" title="${text}"><bdi>${text}</bdi></span> <span class="came ${readOutcome(lines)}">${readOutcome(lines)}</span></summary>${mode === "file" ? linesTable(lines) : html`<div class="story"></div>`}</details></li>
`;
}

/** Returns an event's outcome in one word: lost messages take precedence over sent messages. */
function readOutcome(lines: readonly JournalLine[]): string {
  const statuses = new Set<string>(lines.map(({ status }) => status));
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
