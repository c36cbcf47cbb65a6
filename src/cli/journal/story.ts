import { statSync } from "node:fs";
import type { Concern } from "../../attention/alert.ts";
import { alertFolder, readAlerts } from "../../attention/alert-files.ts";
import type { StorySection } from "../../board/event-story.ts";
import type { Config, Route } from "../../config/config.ts";
import { loadConfig } from "../../config/load.ts";
import { CommandError } from "../../core/errors.ts";
import type { AgentEvent } from "../../core/event.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { type Kind, kinds } from "../../core/vocabulary.ts";
import type { Paths } from "../../files/paths.ts";
import { findLines } from "../../journal/find-lines.ts";
import type { JournalLine } from "../../journal/journal-line.ts";
import { describeOutcome } from "../../journal/journal-text.ts";
import { mismatchOf } from "../../pipeline/route.ts";
import { cleanLine } from "../../text/clean.ts";
import { localTime, shortDuration } from "../../text/local-time.ts";

const timeChars = "04:52:23".length;

/**
 * The story of one event: what it was, the routes as they are now, and what happened.
 * @param id the event's id or its beginning
 * @throws {CommandError} where there is no such event, or several
 */
export async function storyOfEvent(
  id: string,
  paths: Pick<Paths, "journal" | "config" | "state">,
): Promise<StorySection[]> {
  const lines = linesOf(id, paths.journal);
  const [first] = lines;
  if (!first) throw new CommandError(`no event ${id}`, "`beckon log` shows their ids.");
  const config = await loadConfig(paths.config);
  const { summary, title } = lines.find(({ status }) => status === "accepted") ?? {};
  const about = { event: first.event, kind: first.kind, agent: first.agent, project: first.project, host: first.host };
  const session = { session: first.sessionId, title, said: summary };
  const facts = Object.entries(omitUndefined({ ...about, ...session, "came in": localTime(first.at) }));
  return [
    { title: cleanLine(first.id), rows: facts.map(([name, value]) => [name, cleanLine(String(value))]) },
    { title: routesTitle(first, paths.config), rows: routeRows(first, config, concernOf(first.id, paths)) },
    { title: "What happened", rows: lines.map(stepOf) },
  ];
}

/** Most events that a beginning of an id is said to match. */
const maxMatches = 10;
/** Most lines that are read of them, the newest. */
const maxLines = 5_000;

/** The lines of the one event whose id begins so, oldest first. @throws {CommandError} where there are several */
function linesOf(id: string, journal: string): JournalLine[] {
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
    throw new CommandError(`${id} matches ${ids.size} events`, `Give more of the id: ${several}`);
  }
  return found.filter((line) => line.id === meant).reverse();
}

function concernOf(id: string, paths: Pick<Paths, "state">): Concern | undefined {
  return readAlerts(alertFolder(paths))
    .flatMap(({ concerns }) => concerns)
    .find((one) => one.id === id);
}

/** The routes are those of now; the journal does not keep those of then. */
function routesTitle({ at }: JournalLine, file: string): string {
  const changedAtMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const remark =
    changedAtMs > Date.parse(at) ? ": the configuration has changed since, so others may have matched" : "";
  return `Routes, as they are now${remark}`;
}

function routeRows(line: JournalLine, config: Config, concern: Concern | undefined): string[][] {
  const event = concern?.event ?? eventOf(line);
  return config.routes.map((route, index) => [
    `${index + 1}`,
    route.to.map(cleanLine).join(", "),
    verdictOn(route, event, concern),
  ]);
}

function verdictOn(route: Route, event: AgentEvent, concern: Concern | undefined): string {
  const mismatch = mismatchOf({ ...route, ...(concern ? {} : unknowable) }, event, concern?.facts);
  if (mismatch !== undefined) return `does not match: ${mismatch}`;
  const isUncertain = !concern && (route.projects ?? route.reasons ?? route.minTurn) !== undefined;
  const { when, after, repeat } = route;
  const conditions = [
    ...(isUncertain ? ["if folder, reason and length of the turn fitted, which are not known any more"] : []),
    ...(when === undefined ? [] : [`when the person is ${when}`]),
    ...(after === undefined ? [] : [`after ${shortDuration(after)}, if it is still open`]),
    ...(repeat === undefined ? [] : [`again every ${shortDuration(repeat.every)}, ${repeat.times} times`]),
  ];
  return ["matches", ...conditions].join(", ");
}

/** Conditions on what the journal does not have. */
const unknowable = { projects: undefined, reasons: undefined, minTurn: undefined };

/** As much of an event as the journal has. */
function eventOf({ at, id, event = "", agent = "", kind, project = "" }: JournalLine): AgentEvent {
  const known = kinds.find((one): one is Kind => one === kind) ?? "info";
  return { id, atMs: Date.parse(at), event, nativeEvent: event, agent, kind: known, project, extra: {} };
}

/** Time, what happened, at which notifier, and why. */
function stepOf(line: JournalLine): string[] {
  const { at, status, notifier = "", step } = line;
  const where = step === undefined ? notifier : `${notifier}, step ${step}`;
  return [
    cleanLine(localTime(at)).slice(-timeChars),
    cleanLine(status),
    cleanLine(where),
    cleanLine(describeOutcome(line)),
  ];
}
