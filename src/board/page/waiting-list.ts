import { agentTitle } from "../../agents/registry.ts";
import type { Ask } from "../../answers/ask-files.ts";
import { mayHaveWindow } from "../../attention/go-to-terminal.ts";
import {
  describeConcern,
  distinguish,
  divideWaiting,
  readTitle,
  type TeamSession,
  type Waiting,
} from "../../attention/sessions.ts";
import type { KnownLimit } from "../../attention/usage-limits.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import type { AnswerChoice } from "../../core/permission-reply.ts";
import { cutCounted } from "../../text/cut.ts";
import { type Html, html } from "../../text/html.ts";
import { clockTime } from "../../text/time.ts";
import type { Now, TeamView } from "../board.ts";
import { limitText, wholeNumberText } from "../format.ts";
import type { PageMode } from "./page.ts";

/** Maximum length of a request or an answer, in graphemes. */
const maxGraphemes = 1_000;

/** Maximum number of waiting sessions on the live page, the most urgent ones. */
const maxShown = 50;

/** Renders the waiting sessions with their actions, and the active snoozes. */
export function waitingList({ waiting, silences, limits, team, asks = [], nowMs }: Now, mode: PageMode): Html {
  const silenced = silences.map((item) => silenceLine(item, nowMs, mode));
  const shown = mode === "live" ? waiting.slice(0, maxShown) : waiting;
  const { requests, ended } = divideWaiting(shown);
  // The request can be answered on the live page.
  const findAsk = ({ concern }: Waiting) => (mode === "live" ? asks.find(({ id }) => id === concern.id) : undefined);
  const tellApart = distinguish(shown.map(({ alert }) => alert));
  const list = (items: readonly Waiting[]): Html =>
    html`<ol class="waits">${items.map((item) => row({ ...item, ask: findAsk(item), id: tellApart(item.alert) }, nowMs, mode))}</ol>`;
  const first =
    requests.items.length === 0 ? html`<p class="none">No session is waiting for you.</p>` : list(requests.items);
  const then = ended.items.length === 0 ? "" : html`<h3>${ended.title}</h3>${list(ended.items)}`;
  const more = moreText(waiting.length - shown.length, "beckon sessions");
  return html`${silenced}${first}${then}${more}${limits.map((limit) => limitLine(limit, limits, nowMs))}${team ? teamList(team, nowMs) : ""}`;
}

function limitLine(limit: KnownLimit, all: readonly KnownLimit[], nowMs: number): Html {
  const { atMs } = limit;
  const age = html`<time datetime="${new Date(atMs).toISOString()}" data-since="${atMs}">${clockText(nowMs - atMs)}</time>`;
  return html`<p class="none"><bdi>${limitText(limit, all, nowMs)}</bdi> (${age} ago)</p>`;
}

function moreText(count: number, command: string): Html {
  return count === 0
    ? html``
    : html`<p class="none more">${wholeNumberText(count)} more. To list all: <code>${command}</code></p>`;
}

/** Counts the sessions that wait with a request. */
export function waitingCount({ waiting }: Now): number {
  return new Set(divideWaiting(waiting).requests.items.map(({ alert }) => alert)).size;
}

/** Formats the title of the live page, with the number of waiting sessions. */
export function formatTitle(count: number): string {
  return count === 0 ? "beckon" : `(${count}) beckon`;
}

/** Waiting session with what its row needs. */
interface WaitingRow extends Waiting {
  readonly ask: Ask | undefined;
  /** Start of the session's id; empty if the row needs none. */
  readonly id: string;
}

function row({ ask, id, ...item }: WaitingRow, nowMs: number, mode: PageMode): Html {
  const { alert, concern } = item;
  const { agent, project, host } = alert;
  const title = readTitle(alert);
  const message = ask ? "" : cutCounted(describeConcern(concern), maxGraphemes, "graphemes");
  const since = new Date(concern.atMs).toISOString();
  return html`<li class="wait ${concern.kind}" id="wait-${concern.id}">
<time class="clock" datetime="${since}" data-since="${concern.atMs}">${clockText(nowMs - concern.atMs)}</time>
<div class="about"><p class="who"><strong><bdi>${project}</bdi></strong> ${id === "" ? "" : html`<bdi>${id}</bdi> `}<span class="tag">${kindTexts[concern.kind]}</span> <span class="muted"><bdi>${agentTitle(agent)}</bdi>${host === undefined ? "" : html` on <bdi>${host}</bdi>`}</span></p>
${title === "" ? "" : html`<p class="title"><bdi>${title}</bdi></p>`}${message === "" ? "" : html`<p class="said"><bdi>${message}</bdi></p>`}${ask ? askedRequest(ask) : ""}</div>
${mode === "live" ? buttons(item) : ""}</li>
`;
}

/** Renders a whole permission request and the buttons that answer it. */
function askedRequest({ id, lines, hash, choices, denyOnly, options = [], isMultiple, picked = [] }: Ask): Html {
  const button = (choice: AnswerChoice): Html =>
    html`<button type="button" id="${choice}-${id}" data-act="answer" data-body="${JSON.stringify({ id, hash, choice })}">${choice === "deny" ? "Deny" : options.length > 0 ? "Send" : "Allow"}</button>`;
  const option = (label: string, at: number): Html =>
    html`<button type="button" id="pick-${at + 1}-${id}" aria-pressed="${String(picked.includes(at + 1))}" data-act="answer" data-body="${JSON.stringify({ id, hash, choice: "allow", pick: at + 1 })}">${at + 1} <bdi>${label}</bdi></button>`;
  const picks =
    choices.includes("allow") && options.length > 0 ? html`<div class="acts">${options.map(option)}</div>` : "";
  const remark = denyOnly === undefined ? "" : html`<p class="muted">It can only be denied here: ${denyOnly}.</p>`;
  return html`<pre class="asked" dir="ltr">${lines.join("\n")}</pre>${remark}${picks}<div class="acts">${choices.filter((choice) => choice === "deny" || isMultiple !== false).map(button)}</div>`;
}

function buttons({ alert, concern: { id } }: Waiting): Html {
  const { key, project, sessionId } = alert;
  const button = (act: string, text: string, more: Readonly<Record<string, string>> = {}): Html =>
    html`<button type="button" id="${act}-${id}" data-act="${act}" data-body="${JSON.stringify({ key, ...more })}" aria-label="${text}: ${project}">${text}</button>`;
  return html`<div class="acts">${mayHaveWindow(alert) ? button("focus", "Go to terminal") : ""}${button("seen", "Seen")}${sessionId === undefined ? "" : button("snooze", "Snooze 1 h", { time: "1h" })}</div>`;
}

function silenceLine(silence: Now["silences"][number], nowMs: number, mode: PageMode): Html {
  const { untilMs, project, session, notifier } = silence;
  const named = Object.entries(omitUndefined({ project, session, notifier })).map(
    ([key, value]) => ` · ${key} ${value}`,
  );
  const body = JSON.stringify({ time: "off", ...omitUndefined({ project, session, notifier }) });
  const endButton = html` <button type="button" id="snooze-off-${untilMs}" data-act="snooze" data-body="${body}">Resume</button>`;
  return html`<p class="silence">Snoozed until ${clockTime(untilMs, nowMs)}${named} ${mode === "live" ? endButton : ""}</p>`;
}

/** Renders the waiting sessions of other team members, without actions. */
function teamList({ sessions, problems }: TeamView, nowMs: number): Html {
  const shown = sessions.slice(0, maxShown);
  const list =
    sessions.length === 0
      ? html`<p class="none">No session is waiting for them.</p>`
      : html`<ol class="waits">${shown.map((item) => teamRow(item, nowMs))}</ol>${moreText(sessions.length - shown.length, "beckon sessions --team")}`;
  const problemTexts = problems.map((problem) => html`<p class="none" role="status">${problem}</p>`);
  return html`<h3>For others in the team</h3>${problemTexts}${sessions.length === 0 && problems.length > 0 ? "" : list}`;
}

function teamRow({ person, host, key, kind, agent, project, title = "", atMs }: TeamSession, nowMs: number): Html {
  const since = new Date(atMs).toISOString();
  return html`<li class="wait ${kind}" id="team-${person}-${host}-${key}">
<time class="clock" datetime="${since}" data-since="${atMs}">${clockText(nowMs - atMs)}</time>
<div class="about"><p class="who"><strong><bdi>${person}</bdi></strong> · <strong><bdi>${project}</bdi></strong> <span class="tag">${kindTexts[kind]}</span> <span class="muted"><bdi>${agentTitle(agent)}</bdi> on <bdi>${host}</bdi></span></p>
${title === "" ? "" : html`<p class="title"><bdi>${title}</bdi></p>`}</div>
</li>
`;
}

/** Names of kinds on the page. */
export const kindTexts = { "needs-you": "needs you", failed: "failed", finished: "finished", info: "info" } as const;

/** Formats a waiting time: `7 s`, `12 min 30 s`, `1 h 04 min`. The page's script keeps it running. */
export function clockText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const two = (part: number): string => String(part % 60).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${two(minutes)} min`;
  return minutes > 0 ? `${minutes} min ${two(seconds)} s` : `${seconds} s`;
}
