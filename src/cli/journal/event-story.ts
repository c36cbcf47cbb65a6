import { statSync } from "node:fs";
import type { Why } from "../../../docs/output.d.ts";
import type { Concern } from "../../attention/alert.ts";
import { alertFolder, readAlerts } from "../../attention/alert-files.ts";
import type { StorySection } from "../../board/story.ts";
import type { Route } from "../../config/config.ts";
import { loadConfig } from "../../config/load.ts";
import { CommandError, UnknownNameError } from "../../core/errors.ts";
import type { AgentEvent } from "../../core/event.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { type Kind, kinds } from "../../core/vocabulary.ts";
import type { Paths } from "../../files/paths.ts";
import { findArrival, type JournalLine } from "../../journal/journal-line.ts";
import { describeOutcome } from "../../journal/journal-text.ts";
import { findLines } from "../../journal/read-journal.ts";
import { findMismatch, type Step } from "../../pipeline/route.ts";
import { clean, cleanLine, oneLine } from "../../text/clean.ts";
import { localTime, shortDuration } from "../../text/time.ts";
import { withWholeMs } from "../output/json-line.ts";
import { formatTimeOfDay } from "./view.ts";

type StoryPaths = Pick<Paths, "journal" | "config" | "state">;

/**
 * Collects the story of an event: its facts, the current routes, and its history.
 * @param id event id, or the start of it
 * @throws {CommandError} unless exactly one event matches
 */
export async function buildStory(id: string, paths: StoryPaths): Promise<StorySection[]> {
  const { facts, lines, routes, isConfigNewer, ...story } = await readStory(id, paths);
  const { sessionId: session, title, summary, ...about } = facts;
  const texts = { session, title: title && cleanLine(title), said: summary && oneLine(summary) };
  const rows = Object.entries(omitUndefined({ ...about, ...texts, received: localTime(story.receivedAt) }));
  return [
    { title: cleanLine(story.id), rows: rows.map(([name, value]) => [name, clean(String(value))]) },
    // The journal does not record the routes at the time of the event.
    {
      title: `Current routes${isConfigNewer ? " (the configuration has changed since the event)" : ""}`,
      rows: routes.map(routeRow),
    },
    { title: "What happened", rows: lines.map(formatStep) },
  ];
}

/** Describes the story of an event for programs. @throws {CommandError} unless exactly one event matches */
export async function describeStory(id: string, paths: StoryPaths): Promise<Why> {
  const { facts, lines, isConfigNewer, routes, ...story } = await readStory(id, paths);
  return { ...story, ...facts, isConfigNewer, routes, lines: lines.map(withWholeMs) };
}

/** Reads an event's lines, its facts, and its match with each current route. @throws {CommandError} */
async function readStory(id: string, paths: StoryPaths) {
  const lines = readEventLines(id, paths.journal);
  const [first] = lines;
  if (!first)
    throw new UnknownNameError(
      `there is no event ${id}`,
      `To see event ids: beckon log. If it is a session's: beckon log --session ${id}`,
    );
  const config = await loadConfig(paths.config);
  const concerns = readAlerts(alertFolder(paths)).flatMap((alert) => alert.concerns);
  const concern = concerns.find(({ id }) => id === first.id);
  const event = concern?.event ?? rebuildEvent(first);
  const changedAtMs = statSync(paths.config, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const { event: name, kind, agent, project, host, sessionId } = first;
  const { summary, title } = lines.find(({ status }) => status === "accepted") ?? {};
  return {
    ...{ id: first.id, receivedAt: findArrival(lines), lines, isConfigNewer: changedAtMs > Date.parse(first.at) },
    facts: omitUndefined({ event: name, kind, agent, project, host, sessionId, title, summary }),
    routes: config.routes.map((route) => matchRoute(route, event, concern)),
  };
}

/** Maximum number of matching events to list. */
const maxMatches = 10;
/** Maximum number of lines to read of matching events, newest first. */
const maxLines = 5_000;

/**
 * Finds the journal lines of the event whose id starts with `id`, oldest first.
 * @throws {CommandError} if several events match
 */
function readEventLines(id: string, journal: string): JournalLine[] {
  const found: JournalLine[] = [];
  const ids = new Set<string>();
  const isFull = (): boolean => ids.size >= maxMatches || found.length >= maxLines;
  for (const lines of id === "" ? [] : findLines(journal, [id])) {
    for (const line of lines) {
      if (!line.id.startsWith(id) || (ids.size >= maxMatches && !ids.has(line.id))) continue;
      ids.add(line.id);
      found.push(line);
    }
    if (isFull()) break;
  }
  const meant = ids.has(id) ? id : [...ids][0];
  if (ids.size > 1 && meant !== id) {
    const several = [...ids].reverse().map(cleanLine).join(", ");
    throw new CommandError(`${id} matches ${ids.size} events`, `Use more characters of the id: ${several}`);
  }
  return found.filter((line) => line.id === meant).reverse();
}

type RouteMatch = Why["routes"][number];

function routeRow({ to, matches, detail }: RouteMatch, index: number): string[] {
  const verdict = matches ? ["matches", detail].filter(Boolean).join(", ") : `does not match: ${detail}`;
  return [`${index + 1}`, to.map(cleanLine).join(", "), verdict];
}

/** Matches a route. The detail is the mismatch, or the conditions that are checked later. */
function matchRoute(route: Route, event: AgentEvent, concern: Concern | undefined): RouteMatch {
  const { to } = route;
  const mismatch = findMismatch({ ...route, ...(concern ? {} : unknownConditions) }, event, concern?.facts);
  if (mismatch !== undefined) return { to, matches: false, detail: mismatch };
  const isUncertain = !concern && (route.projects ?? route.reasons ?? route.minTurn) !== undefined;
  const { when, after = 0, repeat } = route;
  const conditions = [
    ...(isUncertain ? ["if folder, reason and duration of the turn match, which are no longer known"] : []),
    ...describeConditions({ ...omitUndefined({ when }), afterMs: after }),
    ...(repeat === undefined ? [] : [`again every ${shortDuration(repeat.every)}, ${repeat.times} times`]),
  ];
  return { to, matches: true, detail: conditions.join(", ") };
}

/** Describes the conditions of a message on the user's presence and on the time. */
export function describeConditions({ when, afterMs }: Pick<Step, "when" | "afterMs">): readonly string[] {
  return [
    ...(when === undefined ? [] : [`while you are ${when === "away" ? "away" : "at this machine"}`]),
    ...(afterMs === 0 ? [] : [`after ${shortDuration(afterMs)} if still open`]),
  ];
}

/** Route conditions on facts that the journal does not record. */
const unknownConditions = { projects: undefined, reasons: undefined, minTurn: undefined };

/** Restores an event from its journal line, as far as possible. */
function rebuildEvent({ at, id, event = "", agent = "", kind, project = "" }: JournalLine): AgentEvent {
  const known = kinds.find((candidate): candidate is Kind => candidate === kind) ?? "info";
  return { id, atMs: Date.parse(at), event, nativeEvent: event, agent, kind: known, project, extra: {} };
}

/** Formats a step of the history: time, status, notifier, reason. */
function formatStep(line: JournalLine): string[] {
  const { at, status, notifier = "", step } = line;
  const where = step === undefined ? notifier : `${notifier}, step ${step}`;
  return [formatTimeOfDay(at), ...[status, where, describeOutcome(line)].map(cleanLine)];
}
