import { setTimeout as sleep } from "node:timers/promises";
import type { JournalLine } from "../../pipeline/journal.ts";
import type { CliContext } from "../context.ts";
import { journalJson, lostStatuses, newestLines } from "../journal/lines.ts";
import { JournalTail } from "../journal/tail.ts";
import { groupByEvent, JournalView } from "../journal/view.ts";

export interface LogOptions {
  readonly json?: boolean;
  readonly follow?: boolean;
  /** How many lines, at most. */
  readonly limit: number;
  /** A session's id, or its beginning. */
  readonly session?: string;
  /** Only what was lost. */
  readonly failed?: boolean;
}

const pollMs = 200;

/** `beckon log`: the journal, newest last. */
export async function runLog(options: LogOptions, context: CliContext): Promise<number> {
  const wanted = filterOf(options);
  const show = options.json ? (lines: readonly JournalLine[]) => printJson(lines, context) : viewOf(context);
  if (options.follow) return follow(options.limit, wanted, show, context);
  const lines = newestLines(context.paths.journal, options.limit, wanted);
  show(lines);
  if (lines.length === 0 && !options.json) context.print(nothing(options));
  return 0;
}

async function follow(
  limit: number,
  wanted: (line: JournalLine) => boolean,
  show: (lines: readonly JournalLine[]) => void,
  { paths, interruption }: CliContext,
): Promise<number> {
  const signal = interruption();
  const tail = new JournalTail(paths.journal);
  show(tail.read().filter(wanted).slice(-limit));
  while (!signal.aborted) {
    await sleep(pollMs, undefined, { signal }).catch(() => {}); // interrupted: the loop ends
    show(tail.read().filter(wanted));
  }
  return 0;
}

function filterOf({ session, failed }: LogOptions): (line: JournalLine) => boolean {
  return ({ sessionId, status }) =>
    (session === undefined || sessionId?.startsWith(session) === true) && (!failed || lostStatuses.includes(status));
}

function viewOf(context: CliContext): (lines: readonly JournalLine[]) => void {
  const view = new JournalView(context);
  return (lines) => view.show(groupByEvent(lines));
}

function printJson(lines: readonly JournalLine[], { print }: CliContext): void {
  for (const line of lines) print(journalJson(line));
}

function nothing({ session, failed }: LogOptions): string {
  if (failed) return "Nothing was lost, as far as the journal goes back.";
  if (session !== undefined) return `The journal knows no session ${session}.`;
  return "The journal is empty: no hook has fired yet. `beckon doctor` looks for the reason.";
}
