import { cleanLine } from "../../core/clean.ts";
import type { Ports } from "../../core/ports.ts";
import { createExec } from "../../io/exec.ts";
import { createPorts } from "../../io/ports.ts";
import type { AgentOverview } from "../status/agent-status.ts";
import { alignRows } from "../columns.ts";
import type { CliContext } from "../context.ts";
import { localTime } from "../local-time.ts";
import type { NotifierOverview } from "../status/notifier-status.ts";
import { lookAround, type Overview } from "../overview/overview.ts";

export interface StatusOptions {
  readonly json?: boolean;
}

/** `beckon status`: what is set up here and what is going on. */
export async function runStatus(
  { json }: StatusOptions,
  context: CliContext,
  ports: Ports = { ...createPorts(), exec: createExec(context.place.env) },
): Promise<number> {
  const overview = await lookAround(context, ports);
  if (json) context.print(JSON.stringify(overview));
  else for (const line of describe(overview, context)) context.print(line);
  return 0;
}

function describe(overview: Overview, { colors }: CliContext): string[] {
  const section = (title: string, rows: readonly (readonly string[])[]) => [
    colors.bold(title),
    ...alignRows(rows).map((row) => `  ${row}`),
  ];
  return [
    ...section("Agents", agentRows(overview)),
    ...section("Configuration", [configRow(overview)]),
    ...section("Notifiers", overview.notifiers.map(notifierRow)),
    ...section("Spool", [[spoolText(overview)], [workerText(overview)]]),
  ];
}

function agentRows({ agents }: Overview): string[][] {
  const rows = agents
    .filter(({ found, files, elsewhere }) => found || [...files, ...elsewhere].some(({ events }) => events.length > 0))
    .flatMap(rowsOf);
  return rows.length > 0 ? rows : [["none found on this machine"]];
}

function rowsOf({ name, title, program, files, elsewhere, lastEvent }: AgentOverview): string[][] {
  const version = program?.version ?? "";
  const last = lastEvent
    ? `last event ${[localTime(lastEvent.at), lastEvent.event ?? "", lastEvent.status].map(cleanLine).filter(Boolean).join(" ")}`
    : "no event yet";
  const entries = [...files, ...elsewhere].filter(({ events }) => events.length > 0);
  if (entries.length === 0) return [[title, version, `not set up: beckon install --agent ${name}`, last]];
  return entries.map(({ scope, path, events }, index) => [
    index === 0 ? title : "",
    index === 0 ? version : "",
    `${scope}: ${events.join(", ")} (${path})`,
    index === 0 ? last : "",
  ]);
}

function configRow({ config: { file, exists, findings } }: Overview): string[] {
  if (findings.length > 0) return [file, `${findings.length} to look at: beckon config check`];
  return exists ? [file, "fine"] : [file, "not there: the defaults hold"];
}

function notifierRow({ name, type = "", usable, problem, pausedUntil, brokenSince }: NotifierOverview): string[] {
  const pause =
    pausedUntil === undefined ? [] : [`paused until ${localTime(pausedUntil)}: it asked for that, or was slow`];
  // Without a type there is none: the configuration has an error.
  const broken = brokenSince === undefined ? "not usable here" : `broken since ${localTime(brokenSince)}`;
  const word = usable ? "usable" : type === "" ? "disabled" : broken;
  return [name, type, [word, ...(problem ? [problem] : []), ...pause].join(": ")];
}

function spoolText({ spool: { fresh, waiting, nextDueAt, inFlight, dead } }: Overview): string {
  const next = nextDueAt === undefined ? "" : ` (next ${localTime(nextDueAt)})`;
  const graves = dead > 0 ? `${dead} given up: beckon retry --failed` : "0 given up";
  return `${fresh} fresh, ${inFlight} in flight, ${waiting} waiting for another attempt${next}, ${graves}`;
}

function workerText({ worker: { pid }, installed }: Overview): string {
  if (pid !== undefined) return `worker running (process ${pid})`;
  return installed ? "no worker running: the next event starts one" : "no worker installed: beckon install";
}
