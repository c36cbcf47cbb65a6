import { statSync } from "node:fs";
import type { Scope } from "../../core/agent-settings.ts";
import { SettingsError } from "../../core/errors.ts";
import type { Paths } from "../../core/paths.ts";
import { defaultRoot } from "./command-line.ts";
import type { InspectedFile } from "../inspect.ts";
import { knownOwn } from "../../settings/known-own.ts";
import { type OwnCommands, ownCommands } from "../beckon-commands.ts";
import { allRecords, type InstallRecord, recordPath } from "../record.ts";

/** What one of an agent's settings files says about beckon. */
export interface AgentFile {
  readonly scope: Scope;
  readonly path: string;
  /** Events, by the agent's own names, whose hooks call our launcher. */
  readonly events: readonly string[];
  /** Events whose entry is not the one that was installed: gone, doubled, or changed. */
  readonly changed: readonly string[];
  /** How many hooks of others' are in it. */
  readonly foreign: number;
  /** Other agents that entries of ours in this file are written for: somebody copied them here. */
  readonly copiedFrom?: readonly string[];
  /** When the entries were written, ISO 8601; absent where no install is on record. */
  readonly installedAt?: string;
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
  /** When a record was last written, Unix milliseconds, by the settings file's real path. */
  readonly writtenAtMs: ReadonlyMap<string, number>;
  /** Why the records could not be read; then entries are told by their form alone. */
  readonly problem?: SettingsError;
}

/** Reads what earlier installs wrote down. Never throws for a record that is torn. */
export async function readInstalls(paths: Pick<Paths, "state" | "launcher" | "app">, home: string): Promise<Installs> {
  try {
    const records = await allRecords(paths);
    const writtenAtMs = records.flatMap(({ target }): [string, number][] => {
      const stats = statSync(recordPath(paths, target), { throwIfNoEntry: false });
      return stats ? [[target, stats.mtimeMs]] : [];
    });
    return { own: await knownOwn(paths, home), records, writtenAtMs: new Map(writtenAtMs) };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const own = ownCommands({ commands: [], roots: [paths, defaultRoot(home)] });
    return { own, records: [], writtenAtMs: new Map(), problem: error };
  }
}

/** What the settings files of an agent that exist say, in all scopes. */
export function describeFiles(
  agent: string,
  files: readonly InspectedFile[],
  { records, writtenAtMs }: Pick<Installs, "records" | "writtenAtMs">,
): readonly AgentFile[] {
  const recordOf = ({ target }: InspectedFile) =>
    records.find((record) => record.target === target && record.agent === agent);
  // In the home folder the scopes `user` and `project` are one file.
  const isFirst = ({ target }: InspectedFile, index: number) =>
    files.findIndex((file) => file.target === target) === index;
  return files
    .filter((file, index) => file.exists && isFirst(file, index))
    .map((file) => describe(agent, file, recordOf(file), writtenAtMs.get(file.target)));
}

function describe(
  agent: string,
  found: InspectedFile,
  record: InstallRecord | undefined,
  writtenAtMs: number | undefined,
): AgentFile {
  const { scope, file, own, foreign, offSwitches, problem, ignoredFor } = found;
  const [offSwitch] = offSwitches;
  const traits = ignoredFor.length > 0 && `${ignoredFor.join(" and ")}, for which this agent ignores the whole file`;
  const words = problem?.message.replace(`${file.path}: `, "") ?? (traits || undefined);
  const others = [...new Set(own.flatMap(({ command }) => agentIn(command) ?? []))].filter((name) => name !== agent);
  return {
    scope,
    path: file.path,
    events: [...new Set(own.map(({ event }) => event))],
    changed: record === undefined || problem ? [] : changedEvents(own, record),
    foreign,
    ...(others.length > 0 && { copiedFrom: others }),
    ...(record && writtenAtMs !== undefined && { installedAt: new Date(writtenAtMs).toISOString() }),
    ...(record?.events && { chosen: record.events }),
    ...(words !== undefined && { problem: words }),
    ...(offSwitch !== undefined && { offSwitch }),
  };
}

function agentIn(command: string): string | undefined {
  return / --agent ([a-z][\w-]*)/.exec(command)?.[1];
}

function changedEvents(own: InspectedFile["own"], { entries }: InstallRecord): string[] {
  return Object.entries(entries).flatMap(([event, { command }]) => {
    const there = own.filter((entry) => entry.event === event);
    return there.length === 1 && there[0]?.command === command ? [] : [event];
  });
}
