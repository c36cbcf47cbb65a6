import type { Agent, Scope, SettingsPlace } from "../core/agent.ts";
import { SettingsError } from "../core/errors.ts";
import type { Paths } from "../core/paths.ts";
import { defaultRoot } from "../settings/command.ts";
import { type InspectedFile, inspectAgent } from "../settings/inspect.ts";
import { knownOwn } from "../settings/known-own.ts";
import { type OwnCommands, ownCommands } from "../settings/own.ts";
import { allRecords, type InstallRecord } from "../settings/record.ts";

/** What one of an agent's settings files says about beckon. */
export interface AgentFile {
  readonly scope: Scope;
  readonly path: string;
  /** Events, by the agent's own names, whose hooks call our launcher for this agent. */
  readonly events: readonly string[];
  /** Events whose entry is not the one that was installed: gone, doubled, or changed. */
  readonly changed: readonly string[];
  /** Events the user chose at install; absent: the agent's own list. */
  readonly chosen?: readonly string[];
  /** Why the agent does not read the file, or will not read it as meant. */
  readonly problem?: string;
  /** The setting that switches all hooks off, where it is set. */
  readonly offSwitch?: string;
}

/** What is known of earlier installs. */
export interface Installs {
  readonly own: OwnCommands;
  readonly records: readonly InstallRecord[];
  /** Why the records could not be read; then entries are told by their form alone. */
  readonly problem?: SettingsError;
}

/** Reads what earlier installs wrote down. Never throws for a record that is torn. */
export async function readInstalls(paths: Pick<Paths, "state" | "launcher" | "app">, home: string): Promise<Installs> {
  try {
    return { own: await knownOwn(paths, home), records: await allRecords(paths) };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { own: ownCommands({ commands: [], roots: [paths, defaultRoot(home)] }), records: [], problem: error };
  }
}

/** The settings files of an agent that exist, in all scopes. */
export async function readAgentFiles(
  agent: Agent,
  place: SettingsPlace,
  { own, records }: Pick<Installs, "own" | "records">,
): Promise<readonly AgentFile[]> {
  const files = await inspectAgent(agent, place, own);
  const recordOf = ({ target }: InspectedFile) =>
    records.find((record) => record.target === target && record.agent === agent.name);
  // In the home folder the scopes `user` and `project` are one file.
  const isFirst = ({ target }: InspectedFile, index: number) =>
    files.findIndex((file) => file.target === target) === index;
  return files
    .filter((file, index) => file.exists && isFirst(file, index))
    .map((file) => describe(file, recordOf(file)));
}

function describe(found: InspectedFile, record: InstallRecord | undefined): AgentFile {
  const { scope, file, own, offSwitches, problem, ignoredFor } = found;
  const [offSwitch] = offSwitches;
  const traits = ignoredFor.length > 0 && `${ignoredFor.join(" and ")}, for which this agent ignores the whole file`;
  const words = problem?.message.replace(`${file.path}: `, "") ?? (traits || undefined);
  return {
    scope,
    path: file.path,
    events: [...new Set(own.map(({ event }) => event))],
    changed: record === undefined || problem ? [] : changedEvents(own, record),
    ...(record?.events && { chosen: record.events }),
    ...(words !== undefined && { problem: words }),
    ...(offSwitch !== undefined && { offSwitch }),
  };
}

function changedEvents(own: InspectedFile["own"], { entries }: InstallRecord): string[] {
  return Object.entries(entries).flatMap(([event, { command }]) => {
    const there = own.filter((entry) => entry.event === event);
    return there.length === 1 && there[0]?.command === command ? [] : [event];
  });
}
