import { setTimeout as sleep } from "node:timers/promises";
import { InvalidArgumentError } from "commander";
import { type JournalLine, lostStatuses, newestLines } from "../../pipeline/journal.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { JournalTail } from "../journal/tail.ts";
import { journalView } from "../journal/view.ts";
import { cureForUnreadable, findUnreadable } from "../status/unreadable.ts";

interface LogOptions {
  readonly json?: boolean;
  readonly follow?: boolean;
  /** Most lines to show. */
  readonly limit: number;
  /** A session's id, or its beginning. */
  readonly session?: string;
  /** Only lines that say that something was lost. */
  readonly failed?: boolean;
}

const pollMs = 200;

/** `beckon log`: shows the journal, newest last. */
export const registerLog: RegisterCommand = (command, run) => {
  command
    .option("--json", "print one JSON object a line")
    .option("--follow", "keep showing new lines until Ctrl-C")
    .option("--limit <n>", "show at most this many lines", count, 50)
    .option("--session <id>", "only this session; the beginning of its id is enough")
    .option("--failed", "only what was lost: failed, expired, rejected")
    .action((options: LogOptions) => run((context) => runLog(options, context)));
};

function count(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number, 1 or more.");
}

async function runLog(options: LogOptions, context: CliContext): Promise<number> {
  const { paths, print, printError, colors, interruption } = context;
  const { json, limit, session, failed } = options;
  const isWanted = ({ sessionId, status }: JournalLine): boolean =>
    (session === undefined || sessionId?.startsWith(session) === true) && (!failed || lostStatuses.includes(status));
  const printJson = (lines: readonly JournalLine[]): void => lines.forEach((line) => void print(JSON.stringify(line)));
  const lost = findUnreadable(paths);
  if (lost.length > 0) printError(`beckon: lines may be missing: ${lost.join(", ")}\n  ${cureForUnreadable(paths)}`);
  const show = json ? printJson : journalView({ print, colors });
  if (!options.follow) {
    const lines = newestLines(paths.journal, limit, isWanted);
    show(lines);
    if (lines.length === 0 && !json) print(emptyText(options));
    return 0;
  }
  const signal = interruption();
  const tail = new JournalTail(paths.journal);
  show(tail.read().filter(isWanted).slice(-limit));
  while (!signal.aborted) {
    await sleep(pollMs, undefined, { signal }).catch(() => {}); // interrupted: the loop ends
    show(tail.read().filter(isWanted));
  }
  return 0;
}

function emptyText({ session, failed }: LogOptions): string {
  if (failed) return "Nothing has been lost, as far back as the journal goes.";
  if (session !== undefined) return `The journal has no session ${session}.`;
  return "The journal is empty: no hook has fired yet. `beckon doctor` can tell why.";
}
