import { existsSync } from "node:fs";
import { join } from "node:path";
import { agents } from "../agents/registry.ts";
import type { Config, Finding } from "../config/config.ts";
import { loadConfig } from "../config/load.ts";
import type { Paths } from "../core/paths.ts";
import type { JournalLine } from "../pipeline/journal.ts";
import { Pauses } from "../pipeline/pauses.ts";
import { type AgentFile, type Installs, readAgentFiles, readInstalls } from "./agent-entries.ts";
import type { CliContext } from "./context.ts";
import { linesSince } from "./journal-lines.ts";
import { whyDisabled } from "./notifier-findings.ts";
import { readSpool } from "./spool-state.ts";

/** What `status` tells; its JSON is this object. Instants are ISO 8601, absent facts are left out. */
export interface Overview {
  readonly home: string;
  readonly installed: boolean;
  readonly agents: readonly AgentOverview[];
  /** Why what earlier installs wrote down could not be read. */
  readonly installProblem?: string;
  readonly config: { readonly file: string; readonly exists: boolean; readonly findings: readonly Finding[] };
  readonly notifiers: readonly NotifierOverview[];
  readonly spool: {
    readonly fresh: number;
    readonly waiting: number;
    readonly nextDueAt?: string;
    readonly inFlight: number;
    readonly dead: number;
  };
  readonly worker: { readonly running: boolean; readonly pid?: number };
}

export interface AgentOverview {
  readonly name: string;
  readonly title: string;
  /** Whether the agent is used on this machine: its settings folder exists. */
  readonly found: boolean;
  /** Its settings files that exist. */
  readonly files: readonly AgentFile[];
  /** Its newest event in the journals of this month and the last. */
  readonly lastEvent?: { readonly at: string; readonly event?: string; readonly status: string };
}

export interface NotifierOverview {
  readonly name: string;
  /** Absent where an error hides it. */
  readonly type?: string;
  readonly usable: boolean;
  readonly problem?: string;
  /** Until when its receiver wants to be left alone. */
  readonly pausedUntil?: string;
}

/** Looks at everything and changes nothing. */
export async function lookAround({ paths, place }: Pick<CliContext, "paths" | "place">): Promise<Overview> {
  const config = await loadConfig(paths.config);
  const journal = linesSince(paths.journal, 0);
  const installs = await readInstalls(paths, place.home);
  return {
    home: paths.root,
    installed: existsSync(paths.worker),
    agents: await agentOverviews(installs, place, journal),
    ...(installs.problem && { installProblem: installs.problem.message }),
    config: { file: paths.config, exists: existsSync(paths.config), findings: config.findings },
    notifiers: notifierOverviews(config, paths),
    ...spoolOverview(paths),
  };
}

async function agentOverviews(
  installs: Installs,
  place: CliContext["place"],
  journal: readonly JournalLine[],
): Promise<AgentOverview[]> {
  const overviews = agents.map(async (agent): Promise<AgentOverview[]> => {
    const { name, title, settings } = agent;
    if (!settings) return [];
    const { at, event, status } = journal.findLast((line) => line.agent === name) ?? {};
    const lastEvent = at && status && { lastEvent: { at, ...(event !== undefined && { event }), status } };
    const found = existsSync(settings.folder(place));
    return [{ name, title, found, files: await readAgentFiles(agent, place, installs), ...(lastEvent || {}) }];
  });
  return (await Promise.all(overviews)).flat();
}

function notifierOverviews(config: Config, paths: Paths): NotifierOverview[] {
  const pauses = new Pauses(join(paths.state, "pauses.json"));
  const usable = [...config.notifiers.values()].map(({ name, notifier }): NotifierOverview => {
    const works = notifier.platforms === "any" || notifier.platforms.includes(process.platform);
    const untilMs = pauses.untilMs(name);
    return {
      name,
      type: notifier.name,
      usable: works,
      ...(!works && { problem: `does not work on ${process.platform}` }),
      ...(untilMs > Date.now() && { pausedUntil: new Date(untilMs).toISOString() }),
    };
  });
  const disabled = config.disabled.map((name) => ({ name, usable: false, problem: whyDisabled(name, config).message }));
  return [...usable, ...disabled];
}

function spoolOverview(paths: Paths): Pick<Overview, "spool" | "worker"> {
  const { fresh, waiting, inFlight, dead, workerPid } = readSpool(paths.spool, paths.lock);
  const [next] = waiting;
  return {
    spool: {
      fresh: fresh.length,
      waiting: waiting.length,
      ...(next && { nextDueAt: new Date(next.dueAtMs).toISOString() }),
      inFlight: inFlight.length,
      dead: dead.length,
    },
    worker: { running: workerPid !== undefined, ...(workerPid !== undefined && { pid: workerPid }) },
  };
}
