import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Delivery, type RunState, readState, withState } from "../../pipeline/run-state.ts";
import { entryFile } from "../../spool/entry.ts";
import { decodeRecord } from "../../spool/record.ts";
import { revive } from "../../spool/settle.ts";
import { wake } from "../../spool/wake.ts";
import type { CliContext } from "../context.ts";
import { CommandError, UsageError } from "../errors.ts";
import { newestLines } from "../journal/lines.ts";
import { shownIdChars } from "../journal/view.ts";
import { readSpool, type SpoolState } from "../status/spool-state.ts";

export interface RetryOptions {
  /** Ids, or beginnings of ids of at least 6 characters. */
  readonly ids: readonly string[];
  /** Everything that was given up and can be delivered. */
  readonly failed?: boolean;
}

const shortestPrefix = 6;

/** `beckon retry`: puts events that were given up back into the spool. */
export async function runRetry({ ids, failed = false }: RetryOptions, context: CliContext): Promise<number> {
  const { paths, print } = context;
  if (failed === ids.length > 0) {
    throw new UsageError(
      "say which events: their ids, or --failed for all of them",
      "`beckon log --failed` lists them.",
    );
  }
  const spool = readSpool(paths.spool, paths.lock);
  const chosen = failed
    ? spool.dead.map(({ id }) => id).filter((id) => isDeliverable(id, context))
    : ids.map((id) => find(id, spool));
  if (chosen.length === 0) print("Nothing to put back.");
  for (const id of new Set(chosen)) print(putBack(id, context));
  if (chosen.length === 0) return 0;
  if (existsSync(paths.worker)) await wake(paths.root, paths.worker);
  else print("No worker is installed: `beckon flush` delivers now.");
  return 0;
}

/** @throws {CommandError} unless exactly one dead event's id is or begins like this */
function find(id: string, { dead, fresh, waiting, inFlight }: SpoolState): string {
  const exact = dead.find((entry) => entry.id === id);
  if (exact) return exact.id;
  const isMeant = (entry: { readonly id: string }): boolean => entry.id.startsWith(id);
  if (id.length < shortestPrefix) {
    throw new CommandError(`${id} is too short`, `Give at least ${shortestPrefix} characters of the id.`);
  }
  const [only, ...others] = dead.filter(isMeant);
  if (only && others.length === 0) return only.id;
  if (only) {
    const ids = [only, ...others].map((entry) => entry.id);
    throw new CommandError(`${id} stands for ${ids.length} events`, `Give more of the id: ${ids.join(", ")}`);
  }
  if ([...fresh, ...waiting, ...inFlight].some(isMeant)) {
    throw new CommandError(
      `${id} is still on its way`,
      "`beckon flush` delivers what is due; `beckon log` tells more.",
    );
  }
  throw new CommandError(`no event ${id} was given up`, "`beckon log --failed` lists what was lost.");
}

/** Whether trying again can help: not where the input itself was refused. */
function isDeliverable(id: string, { paths }: CliContext): boolean {
  const record = decodeRecord(readFileSync(graveOf(id, paths.spool)));
  if (!record) return false;
  if (readState(record)) return true;
  const [last] = newestLines(paths.journal, 1, (line) => line.id === id);
  return last?.status !== "rejected";
}

function putBack(id: string, { paths }: CliContext): string {
  const bytes = readFileSync(graveOf(id, paths.spool));
  const record = decodeRecord(bytes);
  const state = record && readState(record);
  revive(paths.spool, id, record && state ? withState(record, reopened(state)) : bytes);
  const to = state ? namesOfOpen(reopened(state)) : [];
  return `put back ${id.slice(0, shownIdChars)}${to.length > 0 ? ` for ${to.join(", ")}` : ""}`;
}

/** What was lost is open again, its time runs anew; what was sent stays sent. */
function reopened(state: RunState): RunState {
  const deliveries = Object.entries(state.deliveries).map(([name, delivery]): [string, Delivery] => {
    const lost = delivery.status === "failed" || delivery.status === "expired";
    return [name, lost ? { status: "open", attempts: 0 } : delivery];
  });
  return { ...state, freshAtMs: Date.now(), deliveries: Object.fromEntries(deliveries) };
}

function namesOfOpen({ deliveries }: RunState): string[] {
  return Object.entries(deliveries).flatMap(([name, { status }]) => (status === "open" ? [name] : []));
}

function graveOf(id: string, spool: string): string {
  return join(spool, "dead", entryFile({ id, crashes: 0 }));
}
