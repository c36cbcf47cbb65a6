import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { lostLines, lostStatuses } from "../../journal/journal-line.ts";
import { newestEvents } from "../../journal/read-journal.ts";
import { type Delivery, type RunState, readState, withState } from "../../pipeline/run-state.ts";
import { entryFile } from "../../spool/entry.ts";
import { decodeRecord } from "../../spool/record.ts";
import { requeueDead } from "../../spool/settle.ts";
import { readSpool, type SpoolState } from "../../spool/spool-state.ts";
import { wake } from "../../spool/wake.ts";
import { counted } from "../../text/counted.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { CommandError, UsageError } from "../errors.ts";
import { shownIdChars } from "../journal/view.ts";
import { requireOwnRoot, requireStoring } from "../require-own-root.ts";
import { say } from "../say.ts";

const minIdChars = 6;

/** `beckon retry`: puts dead events back into the spool. */
export const registerRetry: RegisterCommand = (command, run) => {
  command
    .argument("[id...]", `ids as \`beckon log\` shows them, or at least their first ${minIdChars} characters`)
    .option("--failed", "every event that can still be delivered")
    .option("--json", "print one JSON object")
    .action((ids: string[], options: RetryOptions) => run((context) => runRetry(ids, options, context)));
};

interface RetryOptions {
  readonly failed?: boolean;
  readonly json?: boolean;
}

async function runRetry(
  ids: readonly string[],
  { failed = false, json }: RetryOptions,
  cli: CliContext,
): Promise<number> {
  const context = json ? { ...cli, print: () => {} } : cli;
  const { paths, print } = context;
  if (failed === ids.length > 0) {
    throw new UsageError(
      "say which events to retry: either ids, or --failed for all",
      "`beckon log --failed` lists them.",
    );
  }
  requireOwnRoot(context);
  const spool = readSpool(paths.spool, paths.lock);
  const chosen = failed
    ? spool.dead.map(({ id }) => id).filter((id) => isDeliverable(id, context))
    : ids.map((id) => findDead(id, spool));
  const retried = [...new Set(chosen)];
  const left = failed ? leftOut(retried, spool, context) : [];
  if (retried.length === 0) print("Nothing to retry.");
  else requireStoring(context);
  for (const id of retried) print(requeue(id, context));
  for (const { count, why } of left) say(`${counted(count, "failed event")} left out: ${why}`, context, 2);
  if (retried.length > 0 && existsSync(paths.worker)) await wake(paths);
  else if (retried.length > 0) print("No worker is installed: `beckon flush` delivers now.");
  if (json) cli.print(JSON.stringify({ retried, left }));
  return 0;
}

interface LeftOut {
  readonly count: number;
  readonly why: string;
}

/** Of the events that `beckon log --failed` shows, those that are not retried, and why not. */
function leftOut(
  retried: readonly string[],
  { dead, fresh, waiting, inFlight }: SpoolState,
  { paths }: CliContext,
): LeftOut[] {
  const lines = newestEvents(paths.journal, 1000, ({ status }) => lostStatuses.includes(status));
  const lost = [...new Set(lostLines(lines).map(({ id }) => id))].filter((id) => !retried.includes(id));
  const isIn = (entries: readonly { readonly id: string }[]) => (id: string) =>
    entries.some((entry) => entry.id === id);
  const [isDead, isOpen] = [isIn(dead), isIn([...fresh, ...waiting, ...inFlight])];
  const groups = [
    [isOpen, "still being delivered to another notifier; retry it once that has ended"],
    [isDead, "rejected for its input; `beckon retry` with its id tries it all the same"],
    [(id: string) => !isOpen(id) && !isDead(id), "no longer in the spool, which keeps the newest 200 for 30 days"],
  ] as const;
  return groups.flatMap(([isMeant, why]) => {
    const count = lost.filter(isMeant).length;
    return count > 0 ? [{ count, why }] : [];
  });
}

/** The full id of a dead event. @throws {CommandError} unless exactly one has this id, or one that starts with it */
function findDead(id: string, { dead, fresh, waiting, inFlight }: SpoolState): string {
  if (dead.some((entry) => entry.id === id)) return id;
  if (id.length < minIdChars) {
    throw new CommandError(`the id ${id} is too short`, `Give at least its first ${minIdChars} characters.`);
  }
  const isMeant = (entry: { readonly id: string }): boolean => entry.id.startsWith(id);
  const ids = dead.filter(isMeant).map((entry) => entry.id);
  if (ids.length > 1)
    throw new CommandError(`${id} matches ${ids.length} events`, `Give more of the id: ${ids.join(", ")}`);
  if (ids[0] !== undefined) return ids[0];
  if ([...fresh, ...waiting, ...inFlight].some(isMeant)) {
    throw new CommandError(
      `${id} has not failed: it is still being delivered`,
      "`beckon flush` delivers what is due; `beckon log` shows what happened so far.",
    );
  }
  throw new CommandError(`no failed event ${id}`, "`beckon log --failed` lists them.");
}

/** Whether another attempt can help: not where the input itself was rejected. */
function isDeliverable(id: string, { paths }: CliContext): boolean {
  const record = decodeRecord(readFileSync(deadFile(id, paths.spool)));
  if (!record) return false;
  if (readState(record)) return true;
  const lines = newestEvents(paths.journal, 1, (line) => line.id === id);
  return lines.at(-1)?.status !== "rejected";
}

function requeue(id: string, { paths }: CliContext): string {
  const bytes = readFileSync(deadFile(id, paths.spool));
  const record = decodeRecord(bytes);
  const state = record && readState(record);
  const next = state && reopened(state);
  requeueDead(paths.spool, id, record && next ? withState(record, next) : bytes, !state || isUnfinished(state));
  const deliveries = Object.entries(next?.deliveries ?? {}).filter(([, { status }]) => status === "open");
  const names = deliveries.map(([name]) => name);
  return `retrying ${id.slice(0, shownIdChars)}${names.length > 0 ? ` for ${names.join(", ")}` : ""}`;
}

/** Deliveries that failed or expired are open again, with a new expiry; those that were sent stay sent. */
function reopened(state: RunState): RunState {
  const deliveries = Object.entries(state.deliveries).map(([name, delivery]): [string, Delivery] => {
    const lost = delivery.status === "failed" || delivery.status === "expired";
    return [name, lost ? { status: "open", attempts: 0 } : delivery];
  });
  return { ...state, freshAtMs: Date.now(), deliveries: Object.fromEntries(deliveries) };
}

/** Whether workers died over an event: one that was given up otherwise has no open delivery. */
function isUnfinished({ deliveries }: RunState): boolean {
  return Object.values(deliveries).some(({ status }) => status === "open");
}

function deadFile(id: string, spool: string): string {
  return join(spool, "dead", entryFile({ id, crashes: 0 }));
}
