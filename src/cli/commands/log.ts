import { setTimeout as sleep } from "node:timers/promises";
import { InvalidArgumentError, Option } from "commander";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { kinds, silentEvents } from "../../core/vocabulary.ts";
import { type JournalLine, lostLines, lostStatuses } from "../../journal/journal-line.ts";
import { type EventQuery, fieldPattern, newestEvents } from "../../journal/read-journal.ts";
import { JournalTail } from "../../journal/tail.ts";
import { parseDuration } from "../../text/time.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { journalView } from "../journal/view.ts";
import { nameProject, warnOfProject } from "../named-project.ts";
import { addExamples, wholeNumber } from "../options.ts";
import { type JsonOption, jsonLine, withWholeMs } from "../output/json-line.ts";
import { say } from "../say.ts";
import { cureForUnreadable, findUnreadable } from "../status/problems.ts";

interface LogOptions extends JsonOption {
  readonly follow?: boolean;
  /** Maximum number of events to show. */
  readonly limit: number;
  /** Session id, or its start. */
  readonly session?: string;
  readonly project?: string;
  readonly agent?: string;
  readonly kind?: string;
  /** Earliest time of an event, Unix milliseconds. */
  readonly since?: number;
  /** True shows only lost events. */
  readonly failed?: boolean;
  /** True also shows messages that a notifier cannot deliver on this machine. */
  readonly all?: boolean;
}

const pollMs = 200;

/** Declares `beckon log`: shows the journal, newest last. */
export const registerLog: RegisterCommand = (command, run) => {
  addExamples(command, {
    "beckon log --follow": "watch events as they arrive",
    "beckon log --since 2h --project shop": "show one project's events of the last two hours",
    "beckon log --failed": "list failed deliveries",
    "beckon log --json --limit 1000": "print up to 1,000 events as JSON",
  });
  command
    .option("--json", "print one JSON object per line")
    .option("--follow", "keep printing new events as they arrive, until Ctrl-C")
    .option("-n, --limit <n>", "maximum number of events to show", wholeNumber(), 50)
    .option(
      "--since <time>",
      "only events of the last 30m, 2h, 3d or 1w, or since a time: 2026-11-21, 2026-11-21T04:52",
      parseSince,
    )
    .option("--session <id>", "only this session, by its id or the start of it")
    .option("--project <name>", "only this project, by its name or its folder")
    .option("--agent <name>", "only this agent")
    .addOption(new Option("--kind <kind>", "only events of this kind").choices(kinds))
    .option(
      "--all",
      "also show what a notifier skipped because it does not work on this machine, if others had the event",
    )
    .option("--failed", "only deliveries that failed, expired or were rejected, and have not succeeded since")
    .action(({ agent, ...options }: LogOptions) =>
      run(async (context) => {
        const name = agent && (await import("../../agents/registry.ts")).resolveAgent(agent);
        const named = nameProject(options.project, context);
        warnOfProject(named, context);
        return runLog({ ...options, ...omitUndefined({ agent: name, project: named?.name }) }, context);
      }),
    );
};

async function runLog(options: LogOptions, context: CliContext): Promise<number> {
  const { paths, print, printError, interruption } = context;
  const { json, limit } = options;
  const isWanted = wantedBy(options);
  const query = { limit, isWanted, ...narrow(options) };
  const printJson = (lines: readonly JournalLine[]): void =>
    lines.forEach((line) => void print(jsonLine(withWholeMs(line))));
  const unreadable = findUnreadable(paths);
  if (unreadable.length > 0)
    printError(
      `beckon: some lines may be missing, because these cannot be read: ${unreadable.join(", ")}\n  ${cureForUnreadable(paths)}`,
    );
  const show = json ? printJson : journalView(context, options.all);
  if (!options.follow) {
    const events = newestEvents(paths.journal, query);
    const lines = options.failed ? lostLines(events).filter(isWanted) : events;
    show(lines);
    if (lines.length === 0 && !json) say(emptyText(options), context);
    return 0;
  }
  const signal = interruption();
  const tail = new JournalTail(paths.journal);
  const earlier = newestEvents(paths.journal, query).filter(isWanted);
  show(earlier);
  // Lines that were written since `tail` was created may be among the earlier ones.
  const shown = new Set(earlier.map((line) => JSON.stringify(line)));
  show(tail.read().filter((line) => isWanted(line) && !shown.has(JSON.stringify(line))));
  while (!signal.aborted) {
    await sleep(pollMs, undefined, { signal }).catch(() => {}); // interrupted: the loop ends
    show(tail.read().filter(isWanted));
  }
  return 0;
}

/** Creates the filter for the options. Events that never notify, such as prompts, are shown only as JSON. */
function wantedBy(options: LogOptions): (line: JournalLine) => boolean {
  const { json, session, since, failed } = options;
  const asked = (["project", "agent", "kind"] as const).filter((field) => options[field] !== undefined);
  return (line) =>
    (json || !silentEvents.includes(line.event ?? "")) &&
    (session === undefined || line.sessionId?.startsWith(session) === true) &&
    asked.every((field) => line[field] === options[field]) &&
    (since === undefined || Date.parse(line.at) >= since) &&
    (!failed || lostStatuses.includes(line.status));
}

/** Bounds the search, so that `log` skips lines that cannot match instead of parsing them. */
function narrow({ session, since, failed, ...others }: LogOptions): Pick<EventQuery, "patterns" | "sinceMs"> {
  const asked = { sessionId: session, project: others.project, agent: others.agent, kind: others.kind } as const;
  const fields = Object.entries(omitUndefined(asked)) as [keyof typeof asked, string][];
  const patterns = fields.map(([field, value]) => fieldPattern(field, [value]));
  if (failed) patterns.push(fieldPattern("status", lostStatuses));
  return { patterns, ...omitUndefined({ sinceMs: since }) };
}

function emptyText({ session, failed, ...others }: LogOptions): string {
  if (failed) return "No lost events in the journal.";
  if (session !== undefined) return `The journal has no session ${session}.`;
  if ([others.project, others.agent, others.kind, others.since].some((asked) => asked !== undefined))
    return "No matching events.";
  return "The journal is empty: no hook has fired yet. If one should have, run `beckon doctor`.";
}

/**
 * Parses `--since` to Unix milliseconds: a duration before now (`30m`, `2h`, `3d`, `1w`), or a day or time, local
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
