import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { requireOwnRoot, requireStoring } from "../../actions/require-own-root.ts";
import { CommandError, UsageError } from "../../core/errors.ts";
import { groupBy } from "../../core/group-by.ts";
import { quietly, succeeds } from "../../core/quietly.ts";
import type { Paths } from "../../files/paths.ts";
import { createClock } from "../../io/clock.ts";
import { lostLines, lostStatuses } from "../../journal/journal-line.ts";
import { fieldPattern, newestEvents, readEventLines } from "../../journal/read-journal.ts";
import { configurationId } from "../../pipeline/config-errors.ts";
import { NotifierQueues } from "../../pipeline/notifier-queue.ts";
import { type Delivery, type RunState, readState, withState } from "../../pipeline/run-state.ts";
import { type Entry, entryFile } from "../../spool/entry.ts";
import { decodeRecord } from "../../spool/record.ts";
import { requeueDead } from "../../spool/settle.ts";
import { readSpool, type SpoolState } from "../../spool/spool-state.ts";
import { wake } from "../../spool/wake.ts";
import { counted } from "../../text/time.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { shownIdChars } from "../journal/view.ts";
import { type JsonOption, jsonLine } from "../output/json-line.ts";
import { say } from "../say.ts";

/** Declares `beckon retry`: puts failed events back into the spool. */
export const registerRetry: RegisterCommand = (command, run) => {
  command
    .argument("[id...]", `event ids from \`beckon log\`, or at least their first ${minIdChars} characters`)
    .option("--failed", "redeliver all events that failed or wait for another attempt")
    .option("--json", "print one JSON object")
    .action((ids: string[], options: RetryOptions) => run((context) => runRetry(ids, options, context)));
};

interface RetryOptions extends JsonOption {
  readonly failed?: boolean;
}

async function runRetry(
  ids: readonly string[],
  { failed = false, json }: RetryOptions,
  cli: CliContext,
): Promise<number> {
  const context = json ? { ...cli, print: () => {} } : cli;
  const { paths, print } = context;
  if (failed === ids.length > 0)
    throw new UsageError("give event ids, or --failed for all of them", "To list failed events: beckon log --failed");
  requireOwnRoot(context);
  const found = readSpool(paths.spool, paths.lock);
  const stuck = found.waiting.filter((entry) => hasFailed(entry, paths));
  const waiting = found.waiting.filter((entry) => !stuck.includes(entry));
  const spool = { ...found, waiting, dead: [...found.dead, ...stuck] };
  const all = () => [...stuck.map(({ id }) => id), ...listDeliverable(found, paths)];
  const retried = [...new Set(failed ? all() : ids.map((id) => findDead(id, spool)))];
  const left = failed ? listNotRetried(retried, spool, paths) : [];
  if (retried.length === 0) print("Nothing to retry.");
  else requireStoring(context);
  const queues = new NotifierQueues(paths, createClock());
  for (const id of retried) {
    const waits = stuck.find((entry) => entry.id === id);
    const file = waits && join(paths.spool, "cur", entryFile(waits));
    if (file && !succeeds(() => renameSync(file, deadFile(id, paths.spool)))) continue; // a worker has just taken it
    const names = requeue(id, paths);
    for (const name of names) queues.of(name.replace(/#\d+$/, "")).tryAgain();
    print(`retrying ${id.slice(0, shownIdChars)}${names.length > 0 ? ` for ${names.join(", ")}` : ""}`);
  }
  for (const { count, why } of left) say(`${counted(count, "failed event")} left out: ${why}`, context, 2);
  if (retried.length > 0 && existsSync(paths.worker)) await wake(paths);
  else if (retried.length > 0) print("No worker is installed. To deliver now: beckon flush");
  if (json) cli.print(jsonLine({ retried, left }));
  return 0;
}

/** Shortest accepted prefix of an event's id, in characters. */
const minIdChars = 6;

/** Maximum number of lost events to count. */
const maxLost = 1_000;

/** Counts the events in `beckon log --failed` that are not retried, by reason. */
export function listNotRetried(
  retried: readonly string[],
  { dead, fresh, waiting, inFlight }: SpoolState,
  paths: Paths,
): { readonly count: number; readonly why: string }[] {
  const lines = newestEvents(paths.journal, {
    limit: maxLost,
    isWanted: ({ id, status }) => id !== configurationId && lostStatuses.includes(status),
    patterns: [fieldPattern("status", lostStatuses)],
  });
  const lost = [...new Set(lostLines(lines).map(({ id }) => id))].filter((id) => !retried.includes(id));
  const hasEntry = (entries: readonly { readonly id: string }[]) => (id: string) =>
    entries.some((entry) => entry.id === id);
  const [isDead, isOpen] = [hasEntry(dead), hasEntry([...fresh, ...waiting, ...inFlight])];
  const explain = (id: string) => {
    if (isOpen(id)) return "still being delivered to another notifier; retry it later";
    if (isDead(id)) return "rejected because of its input; to try anyway, use `beckon retry` with its id";
    return "not in the spool, which keeps the newest 200 for 30 days, without beckon's own messages";
  };
  return [...groupBy(lost, explain)].map(([why, { length: count }]) => ({ count, why }));
}

/**
 * Finds the full id of a dead event.
 * @throws {CommandError} if no event, or more than one, has an id that begins with `id`
 * @throws {UsageError} if `id` is too short
 */
function findDead(id: string, { dead, fresh, waiting, inFlight }: SpoolState): string {
  if (dead.some((entry) => entry.id === id)) return id;
  if (id.length < minIdChars) {
    throw new UsageError(`the id ${id} is too short`, `Use at least its first ${minIdChars} characters.`);
  }
  const isMatch = (entry: { readonly id: string }): boolean => entry.id.startsWith(id);
  const ids = dead.filter(isMatch).map((entry) => entry.id);
  if (ids.length > 1)
    throw new CommandError(`${id} matches ${ids.length} events`, `Use more characters of the id: ${ids.join(", ")}`);
  if (ids[0] !== undefined) return ids[0];
  if ([...fresh, ...waiting, ...inFlight].some(isMatch)) {
    throw new CommandError(
      `${id} has not failed: it is still being delivered`,
      "To deliver what is due: beckon flush. To see its history: beckon log",
    );
  }
  throw new CommandError(`there is no failed event ${id}`, "To list failed events: beckon log --failed");
}

/**
 * Lists the dead events for which another attempt can help, without those that were rejected because of their input.
 */
function listDeliverable({ dead }: SpoolState, paths: Paths): string[] {
  const records = dead.flatMap(({ id }) => {
    const record = decodeRecord(readFileSync(deadFile(id, paths.spool)));
    return record ? [{ id, hasState: readState(record) !== undefined }] : [];
  });
  const unknown = records.filter(({ hasState }) => !hasState).map(({ id }) => id);
  const last = new Map(readEventLines(paths.journal, unknown).map(({ id, status }) => [id, status]));
  return records.map(({ id }) => id).filter((id) => last.get(id) !== "rejected");
}

/** True for an event that waits after a failed attempt, not because it is held. */
function hasFailed(entry: Entry, { spool }: Paths): boolean {
  const record = quietly(() => decodeRecord(readFileSync(join(spool, "cur", entryFile(entry)))));
  const deliveries = Object.values((record && readState(record))?.deliveries ?? {});
  return deliveries.some(({ status, attempts }) => status === "open" && attempts > 0);
}

/** Moves a dead event back to the spool. @returns keys of the deliveries that are open again */
function requeue(id: string, paths: Paths): string[] {
  const bytes = readFileSync(deadFile(id, paths.spool));
  const record = decodeRecord(bytes);
  const state = record && readState(record);
  const next = state && reopenDeliveries(state);
  // An open delivery means that workers died while they processed the event.
  const isUnfinished = !state || Object.values(state.deliveries).some(({ status }) => status === "open");
  requeueDead(paths.spool, id, record && next ? withState(record, next) : bytes, isUnfinished);
  const deliveries = Object.entries(next?.deliveries ?? {}).filter(([, { status }]) => status === "open");
  return deliveries.map(([key]) => key);
}

/** Reopens lost and waiting deliveries; their expiry counts from now. Sent deliveries stay sent. */
function reopenDeliveries(state: RunState): RunState {
  const deliveries = Object.entries(state.deliveries).map(([name, delivery]): [string, Delivery] => {
    const { status, attempts } = delivery;
    const lost = status === "failed" || status === "expired" || (status === "open" && attempts > 0);
    return [name, lost ? { status: "open", attempts: 0 } : delivery];
  });
  return { ...state, freshAtMs: Date.now(), deliveries: Object.fromEntries(deliveries) };
}

function deadFile(id: string, spool: string): string {
  return join(spool, "dead", entryFile({ id, crashes: 0 }));
}
