import type { IdleSession, WaitingSession } from "../../docs/output.d.ts";
import { agentTitle } from "../agents/registry.ts";
import type { Alert } from "../attention/alert.ts";
import { readTitle, summarizeConcern, type Waiting } from "../attention/sessions.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { readActivity } from "../lookups/session-state.ts";
import { cleanLine } from "../text/clean.ts";
import { cut, shortName } from "../text/cut.ts";
import { mapTexts } from "../text/map-texts.ts";
import { shortDuration } from "../text/time.ts";
import type { CliContext } from "./context.ts";
import { formatRows, paintWord } from "./say.ts";

const maxTitleChars = 40;

/** Formats a waiting session as a row: project and machine, agent, kind, waiting time, and title with the request. */
export function waitingRow({ alert, concern }: Waiting, nowMs: number, id = ""): string[] {
  const text = [formatTitle(alert), summarizeConcern(concern)].filter(Boolean).join(" · ");
  return [...nameCells(alert, id), concern.kind, shortDuration(nowMs - concern.atMs), text];
}

/** Formats a session as a row: project and machine, agent, state, time since the state began, and title. */
export function activityRow(alert: Alert, nowMs: number, id = ""): string[] {
  const { state, sinceMs, waitingFor } = readActivity(alert);
  const text = [waitingFor, formatTitle(alert)].filter(Boolean).join(" · ");
  return [...nameCells(alert, id), state, shortDuration(nowMs - sinceMs), text];
}

/** Formats rows of sessions below a title; empty without rows. */
export function sessionSection(title: string, rows: readonly (readonly string[])[], context: CliContext): string[] {
  const { colors } = context;
  if (rows.length === 0) return [];
  const paint = (cell: string, at: number) => (at === 2 ? paintWord(cell, colors) : cell);
  return [colors.bold(title), ...formatRows(rows, context, paint)];
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
  const { state, sinceMs, waitingFor } = readActivity(alert);
  const sinceAt = new Date(sinceMs).toISOString();
  return {
    state: state === "waiting (seen)" ? "waiting-seen" : state,
    sinceAt,
    ...omitUndefined({ waitingFor }),
    ...sessionJson(alert),
  };
}

function sessionJson(alert: Alert) {
  const { agent, project, host, sessionId, cwd } = alert;
  const texts = { agent, project, host, sessionId, cwd, title: formatTitle(alert) || undefined };
  return mapTexts(omitUndefined(texts), cleanLine);
}

function nameCells(alert: Alert, id = ""): string[] {
  const { project, host, agent } = alert;
  const name = [project, ...(host === undefined ? [] : [host])].map(shortName).join("@");
  return [[name, id].filter(Boolean).join(" "), shortName(agentTitle(agent))];
}

function formatTitle(alert: Alert): string {
  return shortTitle(readTitle(alert));
}

/** Cuts a session's title to fit a row. */
export function shortTitle(title: string): string {
  return cut(title, maxTitleChars, "graphemes");
}
