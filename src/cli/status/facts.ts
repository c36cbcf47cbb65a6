import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Status as StatusOutput } from "../../../docs/output.d.ts";
import { type Ability, assessNotifiers } from "../../actions/assess-notifiers.ts";
import { isOfRealSession } from "../../attention/session-memory.ts";
import { type KnownLimit, readNewestWindows, usageLimitsFile } from "../../attention/usage-limits.ts";
import type { Config } from "../../config/config.ts";
import { loadConfig } from "../../config/load.ts";
import type { Agent } from "../../core/agent.ts";
import { type InstallEnvironment, serverShapes } from "../../core/agent-settings.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import type { ExecPort, Ports } from "../../core/ports.ts";
import { quietly } from "../../core/quietly.ts";
import { seenEvent, stateEvent } from "../../core/vocabulary.ts";
import { canParse } from "../../installer/agents/command-line.ts";
import { readOtherHookFiles, readSwitches, readTrust } from "../../installer/agents/disabling-settings.ts";
import { type InstallableAgent, installable, isInUse } from "../../installer/agents/installable.ts";
import { findProgram } from "../../installer/agents/program.ts";
import { limitAskSeconds } from "../../installer/agents/wanted-entries.ts";
import { type InspectedFile, inspectAgent, inspectFile, inspectServers } from "../../installer/inspect.ts";
import { installedPlugins } from "../../installer/plugins/plugin-files.ts";
import { readStoredField, type StoredText } from "../../journal/journal-files.ts";
import type { JournalLine } from "../../journal/journal-line.ts";
import { findNewest } from "../../journal/read-journal.ts";
import { listLostSince, readSpool, type SpoolState } from "../../spool/spool-state.ts";
import { dayMs } from "../../text/time.ts";
import type { CliContext } from "../context.ts";
import { type AgentFile, describeFiles, type Installs, readInstalls } from "./agent-files.ts";
import { type RelayView, viewRelay } from "./relay-view.ts";

/** Facts that `status` shows and `doctor` checks, each read once. */
export interface Facts extends Pick<CliContext, "paths" | "environment"> {
  readonly ports: Ports;
  /** Unix milliseconds. */
  readonly nowMs: number;
  readonly config: Config;
  readonly agents: readonly AgentStatus[];
  /** Records of earlier installations. */
  readonly installs: Installs;
  readonly notifiers: readonly Ability[];
  /** Connections to other machines; absent if there are none. */
  readonly relay: RelayView | undefined;
  /** Latest figures of the agents' usage limits. */
  readonly limits: readonly KnownLimit[];
  readonly spool: SpoolState;
  /** Events of the last seven days that did not fit on the disk, the oldest first. */
  readonly lost: ReturnType<typeof listLostSince>;
}

/** Ports and agents of the facts; tests pass their own. */
export interface FactSources {
  readonly ports: Ports;
  readonly agents?: readonly InstallableAgent[];
  /** See `AssessmentSources`. */
  readonly runsCommands?: boolean;
}

/** Collects the facts. Sends nothing. Runs the agents' programs and the notifiers' checks in parallel. */
export async function collectFacts(
  { paths, environment, now }: CliContext,
  { ports, agents = installable, runsCommands = false }: FactSources,
): Promise<Facts> {
  const nowMs = now();
  const config = await loadConfig(paths.config);
  const [collected, notifiers, relay] = await Promise.all([
    collectAgents(agents, { paths, environment }, ports.exec),
    assessNotifiers(config, { paths, ports, runsCommands }),
    viewRelay(paths, config, nowMs),
  ]);
  const [spool, lost] = [readSpool(paths.spool, paths.lock), listLostSince(paths.spool, nowMs - 7 * dayMs)];
  const limits = readNewestWindows(usageLimitsFile(paths));
  return { paths, environment, ports, nowMs, config, ...collected, notifiers, relay, limits, spool, lost };
}

/** Status of an agent on this machine, as `status --json` prints it, and what only checks need. */
export interface AgentStatus extends Readonly<Omit<StatusOutput["agents"][number], "files" | "elsewhere">> {
  /** Existing settings files. */
  readonly files: readonly AgentFile[];
  /** Settings files outside this project from earlier installations that still have beckon's hooks or a problem. */
  readonly elsewhere: readonly AgentFile[];
  readonly definition: InstallableAgent;
  /** Events with installed hooks, by the agent's own names. */
  readonly installed: ReadonlySet<string>;
  /** Titles of other agents whose beckon hooks this agent runs too. */
  readonly lenders: readonly string[];
}

/**
 * Collects the status of agents, in the given order, and the records of earlier installations. Runs the agents'
 * programs in parallel to read their versions.
 */
async function collectAgents(
  agents: readonly InstallableAgent[],
  { paths, environment }: Pick<CliContext, "paths" | "environment">,
  exec: ExecPort,
): Promise<{ readonly agents: readonly AgentStatus[]; readonly installs: Installs }> {
  const installs = await readInstalls(paths, environment.home);
  // An event may be resolved hours after the agent has sent it.
  const isWanted = (line: StoredText) => readStoredField(line, "status") !== "resolved" && isOfRealSession(line);
  const newest = findNewest(paths.journal, { by: ["agent", "event"], isWanted });
  const sources = { environment, installs, newest, exec };
  const found = await Promise.all(agents.map((agent) => collectAgent(agent, sources)));
  return { agents: found.map((agent) => ({ ...agent, lenders: findLenders(agent, found) })), installs };
}

/** Lists the agents whose hooks do not hold requests as `answers` says, with the reason. */
export async function listUnheld(
  { agents: names, wait }: NonNullable<Config["answers"]>,
  { paths, environment }: Pick<CliContext, "paths" | "environment">,
) {
  const installs = await readInstalls(paths, environment.home);
  const asked = installable.filter(({ name }) => names.includes(name));
  const found = asked.map(async (agent) => {
    const inspected = await inspectAgent(agent, environment, installs.beckonCommands);
    const files = describeFiles(agent.name, inspected, installs);
    const found = findAskProblem(agent, files, wait);
    return found ? [{ name: agent.name, ...found }] : [];
  });
  return (await Promise.all(found)).flat();
}

/** Explains why an agent's hooks do not wait for answers as long as configured, in milliseconds; undefined if they do. */
export function findAskProblem(agent: InstallableAgent, files: readonly AgentFile[], waitMs: number) {
  const limit = limitAskSeconds(agent, Math.ceil(waitMs / 1000));
  const waits = files.flatMap(({ askSeconds }) => askSeconds ?? []);
  if (waits.length === 0)
    return { isMissing: true, problem: `${agent.title} has no hook for answers, so its requests are not held` };
  const shortest = Math.min(...waits);
  const problem = `${agent.title}'s hook waits ${shortest} s for an answer, not ${limit} s (answers.wait)`;
  return shortest < limit ? { isMissing: false, problem } : undefined;
}

function findLenders({ definition }: Collected, all: readonly Collected[]): string[] {
  const lends = ({ name, files }: Collected): boolean =>
    definition.settings.alsoRuns?.some(
      ({ agent, scopes }) =>
        agent === name && files.some(({ scope, events }) => scopes.includes(scope) && events.length > 0),
    ) === true;
  return all.filter(lends).map(({ title }) => title);
}

type Collected = Omit<AgentStatus, "lenders">;

interface Sources {
  readonly environment: CliContext["environment"];
  readonly installs: Installs;
  /** Newest journal line of each agent's events, newest first. */
  readonly newest: readonly JournalLine[];
  readonly exec: ExecPort;
}

async function collectAgent(
  agent: InstallableAgent,
  { environment, installs, newest, exec }: Sources,
): Promise<Collected> {
  const { name, title } = agent;
  const inspected = await inspectAgent(agent, environment, installs.beckonCommands);
  const [program, plugins, switches, beside, trust] = await Promise.all([
    findProgram(agent, exec),
    installedPlugins(agent, environment),
    readSwitches(agent, environment, installs.beckonCommands),
    readOtherHookFiles(agent, environment),
    readTrust(agent, environment, inspected, installs.beckonCommands),
  ]);
  // beckon makes the other two events itself.
  const lines = newest.filter(({ agent, event }) => agent === name && event !== seenEvent && event !== stateEvent);
  const [last] = lines;
  const files = describeFiles(name, inspected, installs);
  return {
    ...{ name, title, definition: agent, files, plugins, switches },
    installed: new Set([...files, ...plugins].flatMap(({ events }) => events)),
    found: isInUse(agent, environment),
    ...omitUndefined({
      program,
      trust,
      lastUsedAt: findLastUse(agent, environment),
      unparsed: findUnparsed(agent, environment, inspected),
    }),
    elsewhere: describeFiles(name, await inspectElsewhere(agent, inspected, installs), installs),
    tools: await findTools(agent, environment, installs),
    beside: beside.map(({ path, effect }) => ({ path, effect })),
    ...(last && { lastEvent: { at: last.at, ...omitUndefined({ event: last.event }), status: last.status } }),
    lastSeenAt: Object.fromEntries(
      lines.toReversed().flatMap(({ event, at }) => (event === undefined ? [] : [[event, at]])),
    ),
  };
}

/** Lists an agent's files in which beckon's MCP server is registered. */
async function findTools(agent: InstallableAgent, environment: InstallEnvironment, { beckonCommands }: Installs) {
  const inspected = await inspectServers(agent, environment, beckonCommands);
  return inspected.flatMap(({ file: { path }, beckonEntries }) =>
    beckonEntries.map(({ command }) => ({ path, command })),
  );
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

/**
 * Inspects files of earlier installations that the agent does not read in this project, such as files in other projects
 * or in abandoned folders.
 */
async function inspectElsewhere(agent: Agent, here: readonly InspectedFile[], { beckonCommands, records }: Installs) {
  const isHere = (target: string) => here.some((file) => file.target === target);
  const others = records.filter(
    (record) => record.agent === agent.name && !isHere(record.target) && !serverShapes.includes(record.shape),
  );
  const files = await Promise.all(
    others.map(({ scope, file, shape }) => inspectFile(agent, scope, { path: file, shape }, beckonCommands)),
  );
  return files.filter((file) => file.beckonEntries.length > 0 || file.problem);
}

/** Maximum number of files to check. Some agents keep years of sessions. */
const maxFiles = 5_000;

/** Finds the time when an agent last wrote a session recording, ISO 8601. Undefined if there is no recording. */
function findLastUse({ settings }: Pick<Agent, "settings">, environment: InstallEnvironment): string | undefined {
  if (settings?.sessions === undefined) return undefined;
  const times = filesBelow(join(settings.folder(environment), settings.sessions)).flatMap(
    (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? [],
  );
  return times.length === 0 ? undefined : new Date(Math.max(...times)).toISOString();
}

function filesBelow(folder: string): string[] {
  // The folder may be missing or not readable.
  const entries = quietly(() => readdirSync(folder, { recursive: true, withFileTypes: true })) ?? [];
  const files = entries.filter((entry) => entry.isFile() && /\.jsonl?$/.test(entry.name));
  return files.slice(-maxFiles).map(({ parentPath, name }) => join(parentPath, name));
}
