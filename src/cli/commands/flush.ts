import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { InvalidArgumentError } from "commander";
import { requireOwnRoot, requireStoring } from "../../actions/require-own-root.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { type JournalLine, lostStatuses } from "../../journal/journal-line.ts";
import { JournalTail } from "../../journal/tail.ts";
import { makeSpool } from "../../spool/put.ts";
import { countDue, readSpool, type SpoolState } from "../../spool/spool-state.ts";
import { wake } from "../../spool/wake.ts";
import { localTime } from "../../text/time.ts";
import { runWorker } from "../../worker/run-worker.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { journalView } from "../journal/view.ts";
import { formatInstant, type JsonOption, jsonLine, withWholeMs } from "../output/json-line.ts";
import { createCliPorts } from "../ports.ts";

const pollMs = 100;

/** Declares `beckon flush`: delivers the events that are due, or waits until the running worker has delivered them. */
export const registerFlush: RegisterCommand = (command, run) => {
  command
    .option("--timeout <seconds>", "stop waiting after this many seconds", seconds, 60)
    .option("--json", "print one JSON object")
    .action((options: FlushOptions) => run((context) => runFlush(options, context)));
};

interface FlushOptions extends JsonOption {
  /** Longest wait, in seconds. */
  readonly timeout: number;
}

function seconds(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value > 0 && value <= 86_400) return value;
  throw new InvalidArgumentError("It must be a number of seconds above 0, at most 86400.");
}

async function runFlush({ timeout, json }: FlushOptions, cli: CliContext): Promise<number> {
  const context = json ? { ...cli, print: () => {}, printError: () => {} } : cli;
  const { paths, print } = context;
  requireOwnRoot(context);
  if (!existsSync(paths.spool)) {
    print("Nothing to deliver: no hook has fired yet.");
    if (json) cli.print(jsonLine({ lines: [], due: 0, waiting: 0 }));
    return 0;
  }
  if (countDue(readSpool(paths.spool, paths.lock), Date.now()) > 0) requireStoring(context);
  const journal = new JournalTail(paths.journal);
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), timeout * 1000);
  context.interruption().addEventListener("abort", () => ending.abort());
  await deliverDue(context, ending.signal);
  clearTimeout(timer);
  const happened = journal.read();
  journalView(context)(happened);
  const left = readSpool(paths.spool, paths.lock);
  if (left.waiting.length > 0 || left.fresh.length > 0) await wake(paths);
  if (json) cli.print(jsonLine(buildReport(happened, left)));
  return printReport(happened, left, context);
}

/** Builds the output of `flush --json`: new journal lines and the number of events left. */
function buildReport(lines: readonly JournalLine[], left: SpoolState) {
  const nextDueAt = formatInstant(left.waiting[0]?.dueAtMs);
  const counts = { due: countDue(left, Date.now()), waiting: left.waiting.length };
  return { lines: lines.map(withWholeMs), ...counts, ...omitUndefined({ nextDueAt }) };
}

async function deliverDue({ paths }: CliContext, signal: AbortSignal): Promise<void> {
  makeSpool(paths.spool);
  const ports = createCliPorts(paths);
  while (!signal.aborted && countDue(readSpool(paths.spool, paths.lock), Date.now()) > 0) {
    const wasOurs = await runWorker(paths, ports, { once: true, signal });
    if (!wasOurs) await sleep(pollMs, undefined, { signal }).catch(() => {}); // aborted: the loop ends
  }
}

function printReport(happened: readonly JournalLine[], left: SpoolState, { print, printError }: CliContext): number {
  const due = countDue(left, Date.now());
  const lost = happened.some(({ status }) => lostStatuses.includes(status));
  if (happened.length === 0 && due === 0) print("Nothing is due.");
  const [next] = left.waiting;
  const waits = `${left.waiting.length} held or waiting for a retry`;
  if (next && due === 0) print(`${waits}, the next at ${localTime(next.dueAtMs)}. To try now: beckon retry --failed`);
  if (due > 0) printError(`${due} not delivered yet. Try a longer --timeout or run \`beckon doctor\`.`);
  if (lost) printError("Some events could not be delivered. To try again: beckon retry --failed");
  return due > 0 || lost ? 1 : 0;
}
