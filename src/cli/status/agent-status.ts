import { existsSync } from "node:fs";
import type { Agent } from "../../core/agent.ts";
import type { OtherHookFile, Trust } from "../../core/agent-settings.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import type { ExecPort } from "../../core/ports.ts";
import { isSampleSession } from "../../core/vocabulary.ts";
import { type AgentFile, describeFiles, type Installs, readInstalls } from "../../installer/agents/agent-files.ts";
import { canParse } from "../../installer/agents/command-line.ts";
import {
  type DisablingSetting,
  readOtherHookFiles,
  readSwitches,
  readTrust,
} from "../../installer/agents/hook-switches.ts";
import type { InstallableAgent } from "../../installer/agents/installable.ts";
import { findLastUse } from "../../installer/agents/last-use.ts";
import { type FoundProgram, findProgram } from "../../installer/agents/program.ts";
import { type InspectedFile, inspectAgent, inspectFile } from "../../installer/inspect.ts";
import { type InstalledPlugin, installedPlugins } from "../../installer/plugins/installed-plugins.ts";
import type { JournalLine } from "../../journal/journal-line.ts";
import { readJournal } from "../../journal/read-journal.ts";
import type { CliContext } from "../context.ts";

/** What is known of one agent on this machine. Instants are ISO 8601. */
export interface AgentStatus {
  readonly name: string;
  readonly title: string;
  /** Whether the agent is used on this machine: its settings folder exists. */
  readonly found: boolean;
  /** Its program, if it is on PATH. */
  readonly program?: FoundProgram;
  /** Those of its settings files that exist. */
  readonly files: readonly AgentFile[];
  /** Files outside this project that an earlier install recorded, if they still have beckon's hooks or a problem. */
  readonly elsewhere: readonly AgentFile[];
  /** Those of beckon's plugins that it runs. */
  readonly plugins: readonly InstalledPlugin[];
  /** Events whose command lines the login shell with which the agent runs them cannot parse. */
  readonly unparsed?: readonly string[];
  /** Settings in other files that switch its hooks off. */
  readonly switches: readonly DisablingSetting[];
  /** Other files with hooks that get in the way of those in its settings files, and how. */
  readonly beside: readonly Pick<OtherHookFile, "path" | "effect">[];
  readonly trust?: Trust;
  /** Its newest event in the two newest months of the journal, apart from the installer's samples. */
  readonly lastEvent?: { readonly at: string; readonly event?: string; readonly status: string };
  /** When the agent last recorded a session; absent if that is not known. */
  readonly lastUse?: string;
  /** When each event was last seen, by beckon's name for it. */
  readonly lastSeen: Readonly<Record<string, string>>;
}

/**
 * Collects what is known of some agents, in their order, and what the records of earlier installs say. Asks the agents'
 * programs for their versions, all at once.
 */
export async function collectAgents(
  agents: readonly InstallableAgent[],
  { paths, environment }: Pick<CliContext, "paths" | "environment">,
  exec: ExecPort,
): Promise<{ readonly agents: readonly AgentStatus[]; readonly installs: Installs }> {
  const installs = await readInstalls(paths, environment.home);
  const journal = readJournal(paths.journal, 2);
  return {
    agents: await Promise.all(agents.map((agent) => collectAgent(agent, { environment, installs, journal, exec }))),
    installs,
  };
}

interface Sources {
  readonly environment: CliContext["environment"];
  readonly installs: Installs;
  readonly journal: readonly JournalLine[];
  readonly exec: ExecPort;
}

async function collectAgent(
  agent: InstallableAgent,
  { environment, installs, journal, exec }: Sources,
): Promise<AgentStatus> {
  const { name, title, settings } = agent;
  const inspected = await inspectAgent(agent, environment, installs.beckonCommands);
  const [program, plugins, switches, beside, trust] = await Promise.all([
    findProgram(agent, exec),
    installedPlugins(agent, environment),
    readSwitches(agent, environment, installs.beckonCommands),
    readOtherHookFiles(agent, environment),
    readTrust(agent, environment, inspected, installs.beckonCommands),
  ]);
  const lines = journal.filter((line) => line.agent === name && !isSampleSession(line.sessionId));
  const last = lines.at(-1);
  return {
    name,
    title,
    found: existsSync(settings.folder(environment)),
    ...omitUndefined({
      program,
      trust,
      lastUse: findLastUse(agent, environment),
      unparsed: findUnparsed(agent, environment, inspected),
    }),
    files: describeFiles(name, inspected, installs),
    elsewhere: describeFiles(name, await inspectElsewhere(agent, inspected, installs), installs),
    plugins,
    switches,
    beside: beside.map(({ path, effect }) => ({ path, effect })),
    ...(last && { lastEvent: { at: last.at, ...omitUndefined({ event: last.event }), status: last.status } }),
    lastSeen: Object.fromEntries(lines.flatMap(({ event, at }) => (event === undefined ? [] : [[event, at]]))),
  };
}

function findUnparsed(
  { settings }: InstallableAgent,
  { env }: CliContext["environment"],
  inspected: readonly InspectedFile[],
): readonly string[] | undefined {
  if (!settings.runsLoginShell) return undefined;
  const entries = inspected.flatMap(({ beckonEntries }) => beckonEntries);
  const events = entries.filter(({ command }) => !canParse(env["SHELL"], command)).map(({ event }) => event);
  return events.length > 0 ? [...new Set(events)] : undefined;
}

/** Files of earlier installs that the agent does not read here: another project's, or those of a folder it has left. */
async function inspectElsewhere(agent: Agent, here: readonly InspectedFile[], { beckonCommands, records }: Installs) {
  const isHere = (target: string) => here.some((file) => file.target === target);
  const others = records.filter((record) => record.agent === agent.name && !isHere(record.target));
  const files = await Promise.all(
    others.map(({ scope, file, shape }) => inspectFile(agent, scope, { path: file, shape }, beckonCommands)),
  );
  return files.filter((file) => file.beckonEntries.length > 0 || file.problem);
}
