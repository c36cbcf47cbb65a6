import { statSync } from "node:fs";
import type { Concern } from "../../attention/alert.ts";
import { alertFolder, readAlerts } from "../../attention/alert-files.ts";
import type { Config, Route } from "../../config/config.ts";
import { loadConfig } from "../../config/load.ts";
import { cleanLine } from "../../core/clean.ts";
import type { AgentEvent } from "../../core/event.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { type Kind, kinds } from "../../core/vocabulary.ts";
import type { JournalLine } from "../../pipeline/journal-line.ts";
import { newestEvents } from "../../pipeline/read-journal.ts";
import { mismatchOf } from "../../pipeline/route.ts";
import { fitRows, fold } from "../columns.ts";
import { type CliContext, lineCells, type RegisterCommand } from "../context.ts";
import { CommandError } from "../errors.ts";
import { whatOf } from "../journal/view.ts";
import { localTime, shortDuration } from "../local-time.ts";

/** `beckon why`: the story of one event. */
export const registerWhy: RegisterCommand = (command, run) => {
  command
    .argument("<event>", "the event's id as `beckon log` shows it, or its beginning")
    .action((id: string) => run((context) => runWhy(id, context)));
};

const timeChars = "04:52:23".length;

async function runWhy(id: string, context: CliContext): Promise<number> {
  const { paths, print, colors } = context;
  const lines = linesOf(id, paths.journal);
  const [first] = lines;
  if (!first) throw new CommandError(`no event ${id}`, "`beckon log` shows their ids.");
  const config = await loadConfig(paths.config);
  const section = (title: string, rows: readonly (readonly string[])[]): void => {
    for (const line of fold(title, lineCells(context))) print(colors.bold(line));
    for (const line of fitRows(rows, lineCells(context) - 2)) print(`  ${line}`);
  };
  const { summary, title } = lines.find(({ status }) => status === "accepted") ?? {};
  const about = { event: first.event, kind: first.kind, agent: first.agent, project: first.project };
  const session = { session: first.sessionId, title, said: summary };
  const facts = Object.entries(omitUndefined({ ...about, ...session, "came in": localTime(first.at) }));
  section(
    cleanLine(first.id),
    facts.map(([name, value]) => [name, cleanLine(String(value))]),
  );
  section(routesTitle(first, paths.config), routeRows(first, config, concernOf(first.id, context)));
  section("What happened", lines.map(stepOf));
  return 0;
}

/** The lines of the one event whose id begins so. @throws {CommandError} where there are several */
function linesOf(id: string, journal: string): JournalLine[] {
  const found = id === "" ? [] : newestEvents(journal, 10, (line) => line.id.startsWith(id));
  const ids = [...new Set(found.map((line) => line.id))];
  const meant = ids.includes(id) ? id : ids[0];
  if (ids.length > 1 && meant !== id) {
    throw new CommandError(
      `${id} matches ${ids.length} events`,
      `Give more of the id: ${ids.map(cleanLine).join(", ")}`,
    );
  }
  return found.filter((line) => line.id === meant);
}

function concernOf(id: string, { paths }: CliContext): Concern | undefined {
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
  return [cleanLine(localTime(at)).slice(-timeChars), cleanLine(status), cleanLine(where), cleanLine(whatOf(line))];
}
