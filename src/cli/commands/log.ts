import { setTimeout as sleep } from "node:timers/promises";
import { InvalidArgumentError, Option } from "commander";
import { kinds, silentEvents } from "../../core/vocabulary.ts";
import { type JournalLine, lostLines, lostStatuses } from "../../journal/journal-line.ts";
import { newestEvents } from "../../journal/read-journal.ts";
import { JournalTail } from "../../journal/tail.ts";
import { parseDuration } from "../../text/time.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { journalView } from "../journal/view.ts";
import { say } from "../say.ts";
import { cureForUnreadable, findUnreadable } from "../status/unreadable.ts";

interface LogOptions {
  readonly json?: boolean;
  readonly follow?: boolean;
  /** Most events to show. */
  readonly limit: number;
  /** A session's id, or its beginning. */
  readonly session?: string;
  readonly project?: string;
  readonly agent?: string;
  readonly kind?: string;
  /** Earliest time of an event, Unix milliseconds. */
  readonly since?: number;
  /** Only lines that say that something was lost. */
  readonly failed?: boolean;
}

const pollMs = 200;

/** `beckon log`: shows the journal, newest last. */
export const registerLog: RegisterCommand = (command, run) => {
  command
    .option("--json", "print one JSON object a line")
    .option("--follow", "keep showing new lines until Ctrl-C")
    .option("--limit <n>", "show at most this many events", count, 50)
    .option("--since <time>", "only events since then: 30m, 2h, 3d, 1w, or 2026-11-21, or 2026-11-21T04:52", parseSince)
    .option("--session <id>", "only this session; the beginning of its id is enough")
    .option("--project <name>", "only this project: the name of its folder")
    .option("--agent <name>", "only this agent")
    .addOption(new Option("--kind <kind>", "only this kind").choices(kinds))
    .option("--failed", "only what was lost: failed, expired, rejected, and not sent since")
    .action((options: LogOptions) => run((context) => runLog(options, context)));
};

function count(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number, 1 or more.");
}

async function runLog(options: LogOptions, context: CliContext): Promise<number> {
  const { paths, print, printError, interruption } = context;
  const { json, limit } = options;
  const isWanted = wantedBy(options);
  const printJson = (lines: readonly JournalLine[]): void => lines.forEach((line) => void print(JSON.stringify(line)));
  const unreadable = findUnreadable(paths);
  if (unreadable.length > 0)
    printError(`beckon: lines may be missing: ${unreadable.join(", ")}\n  ${cureForUnreadable(paths)}`);
  const show = json ? printJson : journalView(context);
  if (!options.follow) {
    const events = newestEvents(paths.journal, limit, isWanted);
    const lines = options.failed ? lostLines(events).filter(isWanted) : events;
    show(lines);
    if (lines.length === 0 && !json) say(emptyText(options), context);
    return 0;
  }
  const signal = interruption();
  const tail = new JournalTail(paths.journal);
  const earlier = tail.read().filter(isWanted);
  const ids = [...new Set(earlier.map(({ id }) => id))].slice(-limit);
  show(earlier.filter(({ id }) => ids.includes(id)));
  while (!signal.aborted) {
    await sleep(pollMs, undefined, { signal }).catch(() => {}); // interrupted: the loop ends
    show(tail.read().filter(isWanted));
  }
  return 0;
}

/** Which lines are asked for. Of prompts only programs are told: a person knows what they have typed. */
function wantedBy(options: LogOptions): (line: JournalLine) => boolean {
  const { json, session, project, agent, kind, since, failed } = options;
  const is = (asked: string | undefined, value: string | undefined): boolean => asked === undefined || asked === value;
  return (line) =>
    (json || !silentEvents.includes(line.event ?? "")) &&
    (session === undefined || line.sessionId?.startsWith(session) === true) &&
    is(project, line.project) &&
    is(agent, line.agent) &&
    is(kind, line.kind) &&
    (since === undefined || Date.parse(line.at) >= since) &&
    (!failed || lostStatuses.includes(line.status));
}

function emptyText({ session, failed, ...others }: LogOptions): string {
  if (failed) return "Nothing has been lost, as far back as the journal goes.";
  if (session !== undefined) return `The journal has no session ${session}.`;
  if ([others.project, others.agent, others.kind, others.since].some((asked) => asked !== undefined))
    return "The journal has no such event.";
  return "The journal is empty: no hook has fired yet. `beckon doctor` can tell why.";
}

/**
 * The instant that `--since` names, Unix milliseconds: so long ago (`30m`, `2h`, `3d`, `1w`), or a day or time, local
 * unless it has a zone.
 * @throws {InvalidArgumentError}
 */
function parseSince(text: string): number {
  const agoMs = parseDuration(text, ["s", "m", "h", "d", "w"]);
  if (agoMs >= 0) return Math.max(0, Date.now() - agoMs);
  const isTime = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$/.test(text);
  const atMs = isTime
    ? Date.parse(text.length === "2026-11-21".length ? `${text}T00:00` : text.replace(" ", "T"))
    : Number.NaN;
  if (Number.isFinite(atMs)) return atMs;
  throw new InvalidArgumentError("It must be 30m, 2h, 3d or 1w, or a time such as 2026-11-21 or 2026-11-21T04:52.");
}
