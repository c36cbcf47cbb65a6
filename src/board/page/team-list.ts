import type { TeamSession } from "../../core/team-session.ts";
import { type Html, html } from "../../text/html.ts";
import type { TeamView } from "../board.ts";
import { clockText, kindTexts } from "./wait-texts.ts";

/** Renders the waiting sessions of others in a team, without actions, which only those people can take. */
export function teamList({ sessions, problems }: TeamView, nowMs: number): Html {
  const list =
    sessions.length === 0
      ? html`<p class="none">Nobody waits for them.</p>`
      : html`<ol class="waits">${sessions.map((one) => row(one, nowMs))}</ol>`;
  const told = problems.map((problem) => html`<p class="none" role="status">${problem}</p>`);
  return html`<h3>For others in the team</h3>${told}${sessions.length === 0 && problems.length > 0 ? "" : list}`;
}

function row({ person, host, key, kind, agent, project, title = "", atMs }: TeamSession, nowMs: number): Html {
  const since = new Date(atMs).toISOString();
  return html`<li class="wait ${kind}" id="team-${person}-${host}-${key}">
<time class="clock" datetime="${since}" data-since="${atMs}">${clockText(nowMs - atMs)}</time>
<div class="about"><p class="who"><strong><bdi>${person}</bdi></strong> · <strong><bdi>${project}</bdi></strong> <span class="tag">${kindTexts[kind]}</span> <span class="muted"><bdi>${agent}</bdi> on <bdi>${host}</bdi></span></p>
${title === "" ? "" : html`<p class="title"><bdi>${title}</bdi></p>`}</div>
</li>
`;
}
