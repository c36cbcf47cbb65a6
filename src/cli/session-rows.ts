import { agentTitle } from "../agents/registry.ts";
import type { Alert } from "../attention/alert.ts";
import { describeActivity } from "../attention/session-activity.ts";
import { listWaiting, readTitle, summarizeConcern, type Waiting } from "../attention/sessions.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { cleanLine } from "../text/clean.ts";
import { cut } from "../text/cut.ts";
import { shortDuration } from "../text/local-time.ts";
import { mapTexts } from "../text/map-texts.ts";
import type { IdleSession, WaitingSession } from "./output/daily-outputs.ts";

const maxNameChars = 24;
const maxTitleChars = 40;
/** Maximum number of sessions named in a status bar. */
const maxNamedSessions = 3;

/** Formats a waiting session as a row: project and machine, agent, kind, waiting time, and title with the request. */
export function waitingRow({ alert, concern }: Waiting, nowMs: number): string[] {
  const text = [formatTitle(alert), summarizeConcern(concern)].filter(Boolean).join(" · ");
  return [...nameCells(alert), concern.kind, shortDuration(nowMs - concern.atMs), text];
}

/** Formats a session as a row: project and machine, agent, state, time since the state began, and title. */
export function activityRow(alert: Alert, nowMs: number): string[] {
  const { state, sinceMs } = describeActivity(alert);
  return [...nameCells(alert), state, shortDuration(nowMs - sinceMs), formatTitle(alert)];
}

/** Formats a line for a status bar, `2 waiting: shop 3m, api 12s`; empty if no session is waiting. */
export function statusLine(sessions: readonly Alert[], nowMs: number): string {
  const longest = new Map<Alert, number>();
  for (const { alert, concern } of listWaiting(sessions)) {
    longest.set(alert, Math.min(concern.atMs, longest.get(alert) ?? concern.atMs));
  }
  if (longest.size === 0) return "";
  const named = [...longest]
    .slice(0, maxNamedSessions)
    .map(([alert, atMs]) => `${formatName(alert)} ${compactDuration(nowMs - atMs)}`);
  const more = longest.size > maxNamedSessions ? [`${longest.size - maxNamedSessions} more`] : [];
  return `${longest.size} waiting: ${[...named, ...more].join(", ")}`;
}

/** For `sessions --json`, describes a concern that waits. Instants are ISO 8601. */
export function waitingJson({ alert, concern }: Waiting, nowMs: number): WaitingSession {
  const { id, kind, atMs, state } = concern;
  const sinceAt = new Date(atMs).toISOString();
  const noticed = state === "acknowledged" ? (true as const) : undefined;
  const request = summarizeConcern(concern) || undefined;
  return {
    ...{ state: "waiting", id, kind, sinceAt, waitedMs: Math.max(0, Math.round(nowMs - atMs)) },
    ...sessionJson(alert),
    ...omitUndefined({ request, noticed }),
  };
}

/** For `sessions --json`, describes a session that is not waiting. */
export function activityJson(alert: Alert): IdleSession {
  const { state, sinceMs } = describeActivity(alert);
  const sinceAt = new Date(sinceMs).toISOString();
  return { state: state === "waiting (seen)" ? "waiting-seen" : state, sinceAt, ...sessionJson(alert) };
}

function sessionJson(alert: Alert) {
  const { agent, project, host, sessionId, cwd } = alert;
  const texts = { agent, project, host, sessionId, cwd, title: formatTitle(alert) || undefined };
  return mapTexts(omitUndefined(texts), cleanLine);
}

function nameCells(alert: Alert): string[] {
  const { host, agent } = alert;
  const name = host === undefined ? formatName(alert) : `${formatName(alert)}@${shortName(host)}`;
  return [name, shortName(agentTitle(agent))];
}

function formatName({ project }: Alert): string {
  return shortName(project);
}

function formatTitle(alert: Alert): string {
  return shortTitle(readTitle(alert));
}

/** Cuts a session's title to fit a row. */
export function shortTitle(title: string): string {
  return cut(title, maxTitleChars, "graphemes");
}

/** Cuts a name to fit a row. */
export function shortName(name: string): string {
  return cut(cleanLine(name), maxNameChars, "graphemes");
}

/** Formats a duration as `12s`, `3m`, `2h`. */
function compactDuration(ms: number): string {
  return shortDuration(Math.max(1_000, ms)).replace("min", "m").replace(" ", "");
}
