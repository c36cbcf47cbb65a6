import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createPorts } from "../../io/ports.ts";
import type { JournalLine } from "../../pipeline/journal.ts";
import { makeSpool } from "../../spool/put.ts";
import { wake } from "../../spool/wake.ts";
import { work } from "../../worker/run-worker.ts";
import type { CliContext } from "../context.ts";
import { lostStatuses } from "../journal/lines.ts";
import { JournalTail } from "../journal/tail.ts";
import { groupByEvent, JournalView } from "../journal/view.ts";
import { localTime } from "../local-time.ts";
import { countDue, readSpool, type SpoolState } from "../status/spool-state.ts";

export interface FlushOptions {
  readonly timeoutSeconds: number;
}

const pollMs = 100;

/** `beckon flush`: delivers what is due now, or waits until the worker that holds the spool has done so. */
export async function runFlush({ timeoutSeconds }: FlushOptions, context: CliContext): Promise<number> {
  const { paths, print } = context;
  if (!existsSync(paths.spool)) {
    print("Nothing to deliver: no hook has fired yet.");
    return 0;
  }
  const journal = new JournalTail(paths.journal);
  journal.read();
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), timeoutSeconds * 1000);
  context.interruption().addEventListener("abort", () => ending.abort());
  await deliverDue(context, ending.signal);
  clearTimeout(timer);
  const happened = journal.read();
  new JournalView(context).show(groupByEvent(happened));
  const left = readSpool(paths.spool, paths.lock);
  if (left.waiting.length > 0 || left.fresh.length > 0) await wake(paths.root, paths.worker);
  return report(happened, left, context);
}

async function deliverDue({ paths }: CliContext, signal: AbortSignal): Promise<void> {
  makeSpool(paths.spool);
  const ports = createPorts();
  while (!signal.aborted && countDue(readSpool(paths.spool, paths.lock), Date.now()) > 0) {
    const wasOurs = await work(paths, ports, { once: true, signal });
    if (!wasOurs) await sleep(pollMs, undefined, { signal }).catch(() => {}); // aborted: the loop ends
  }
}

function report(happened: readonly JournalLine[], left: SpoolState, { print, printError }: CliContext): number {
  const due = countDue(left, Date.now());
  const lost = happened.some(({ status }) => lostStatuses.includes(status));
  if (happened.length === 0 && due === 0) print("Nothing is due.");
  const [next] = left.waiting;
  if (next && due === 0)
    print(`${left.waiting.length} waiting for another attempt, the next at ${localTime(next.dueAtMs)}.`);
  if (due > 0) printError(`${due} still on the way. Run it again with a longer --timeout, or ask \`beckon doctor\`.`);
  if (lost) printError("Not everything was delivered. `beckon retry --failed` tries again.");
  return due > 0 || lost ? 1 : 0;
}
