import { existsSync } from "node:fs";
import type { Agent } from "../../core/agent.ts";
import type { HooksBeside } from "../../core/agent-settings.ts";
import type { ExecPort } from "../../core/ports.ts";
import type { JournalLine } from "../../pipeline/journal.ts";
import { type InspectedFile, inspectAgent, inspectFile } from "../../installer/inspect.ts";
import type { CliContext } from "../context.ts";
import { type InstallableAgent, installable } from "../../installer/agents/installable.ts";
import { isSample } from "../install/sample-session.ts";
import { type AgentFile, describeFiles, type Installs } from "../../installer/agents/agent-files.ts";
import { readBeside, readSwitches, type ThrownSwitch } from "../../installer/agents/hook-switches.ts";
import { type FoundProgram, findProgram } from "../../installer/agents/program.ts";
import { readTrust } from "../agents/trust.ts";
import type { Trust } from "../agents/trust-request.ts";

/** What is known of one agent on this machine. Instants are ISO 8601, absent facts are left out. */
export interface AgentOverview {
  readonly name: string;
  readonly title: string;
  /** Whether the agent is used on this machine: its settings folder exists. */
  readonly found: boolean;
  /** Its program, where it is on PATH. */
  readonly program?: FoundProgram;
  /** Its settings files that exist. */
  readonly files: readonly AgentFile[];
  /** Files with entries of ours that belong to other projects: those on record. */
  readonly elsewhere: readonly AgentFile[];
  /** Settings elsewhere that switch its hooks off. */
  readonly switches: readonly ThrownSwitch[];
  /** Files beside its own that hold hooks too, where it is the worse for it. */
  readonly beside: readonly Pick<HooksBeside, "path" | "effect">[];
  readonly trust?: Trust;
  /** Its newest event in the journals of this month and the last; the installer's samples are none. */
  readonly lastEvent?: { readonly at: string; readonly event?: string; readonly status: string };
  /** When each event was seen last, by the name it has here. */
  readonly lastSeen: Readonly<Record<string, string>>;
}

export interface AgentSight {
  readonly installs: Installs;
  readonly place: CliContext["place"];
  readonly journal: readonly JournalLine[];
  readonly exec: ExecPort;
}

/** Looks at every agent that beckon can be installed into; their programs are asked side by side. */
export async function lookAtAgents(sight: AgentSight): Promise<AgentOverview[]> {
  return Promise.all(installable.map((agent) => lookAtAgent(agent, sight)));
}

async function lookAtAgent(
  agent: InstallableAgent,
  { installs, place, journal, exec }: AgentSight,
): Promise<AgentOverview> {
  const { name, title, settings } = agent;
  const inspected = await inspectAgent(agent, place, installs.own);
  const files = inspected.filter(({ exists }) => exists);
  const [program, switches, beside, trust] = await Promise.all([
    findProgram(agent, exec),
    readSwitches(agent, place, installs.own),
    readBeside(agent, place),
    readTrust({ agent, place, files, own: installs.own }),
  ]);
  const { at, event, status } = journal.findLast((line) => line.agent === name && !isSample(line)) ?? {};
  return {
    name,
    title,
    found: existsSync(settings.folder(place)),
    ...(program && { program }),
    files: describeFiles(name, inspected, installs),
    elsewhere: describeFiles(name, await inspectElsewhere(agent, inspected, installs), installs),
    switches,
    beside: beside.map(({ path, effect }) => ({ path, effect })),
    ...(trust && { trust }),
    ...(at && status && { lastEvent: { at, ...(event !== undefined && { event }), status } }),
    lastSeen: lastSeen(name, journal),
  };
}

/** Files of an earlier install that the agent does not read here: another project's, or where it was moved to since. */
async function inspectElsewhere(agent: Agent, here: readonly InspectedFile[], { own, records }: Installs) {
  const isHere = (target: string) => here.some((file) => file.target === target);
  const others = records.filter((record) => record.agent === agent.name && !isHere(record.target));
  const files = await Promise.all(
    others.map(({ scope, file, shape }) => inspectFile(agent, scope, { path: file, shape }, own)),
  );
  return files.filter((file) => file.own.length > 0 || file.problem);
}

function lastSeen(agent: string, journal: readonly JournalLine[]): Record<string, string> {
  const lines = journal.filter((line) => line.agent === agent && !isSample(line));
  return Object.fromEntries(lines.flatMap(({ event, at }) => (event === undefined ? [] : [[event, at]])));
}
