import { statSync } from "node:fs";
import type { Scope } from "../../core/agent-settings.ts";
import { SettingsError } from "../../core/errors.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { type BeckonCommands, recordedCommands } from "../beckon-commands.ts";
import type { InspectedFile } from "../inspect.ts";
import { allRecords, type InstallPaths, type InstallRecord, recordPath } from "../record.ts";

/** What one of an agent's settings files says about beckon. */
export interface AgentFile {
  readonly scope: Scope;
  readonly path: string;
  /** Events, by the agent's own names, whose hooks call beckon. */
  readonly events: readonly string[];
  /** Events whose entry is not the one that was installed: gone, doubled, or changed. */
  readonly changed: readonly string[];
  /** Number of hooks that are not beckon's. */
  readonly otherHooks: number;
  /** Other agents for which entries of beckon's in this file are written: somebody copied them here. */
  readonly copiedFrom?: readonly string[];
  /** When the entries were written, ISO 8601; absent where no install is on record. */
  readonly installedAt?: string;
  /** Events the user chose at install; absent: the agent's default events. */
  readonly chosen?: readonly string[];
  /** Why the agent does not read the file, or will not read it as meant, with the position. */
  readonly problem?: string;
  /** Versions of the agent that ignore the whole file for its problem; absent if that is not known. */
  readonly ignoredBy?: "all versions" | "some versions";
  /** The setting that switches all hooks off, where it is set. */
  readonly offSwitch?: string;
  /** Events of hooks that the agent does not know, where one such hook makes it ignore all. */
  readonly unknownEvents?: readonly string[];
}

/** A record and when it was last written, ISO 8601; absent where it has been removed since. */
interface DatedRecord extends InstallRecord {
  readonly writtenAt: string | undefined;
}

/** What the records say of earlier installs. */
export interface Installs {
  readonly beckonCommands: BeckonCommands;
  readonly records: readonly DatedRecord[];
  /** Why the records could not be read; then entries are recognized by their form alone. */
  readonly problem?: SettingsError;
}

/** Reads the records of earlier installs. A record that cannot be read becomes `problem`. */
export async function readInstalls(paths: InstallPaths, home: string): Promise<Installs> {
  try {
    const records = (await allRecords(paths)).map((record) => {
      const stats = statSync(recordPath(paths, record.target), { throwIfNoEntry: false });
      return { ...record, writtenAt: stats?.mtime.toISOString() };
    });
    return { beckonCommands: recordedCommands(records, paths, home), records };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { beckonCommands: recordedCommands([], paths, home), records: [], problem: error };
  }
}

/** The existing settings files of an agent, in all scopes. */
export function describeFiles(
  agent: string,
  files: readonly InspectedFile[],
  { records }: Pick<Installs, "records">,
): readonly AgentFile[] {
  const recordOf = ({ target }: InspectedFile) =>
    records.find((record) => record.target === target && record.agent === agent);
  // In the home folder the scopes `user` and `project` are one file.
  const isFirst = ({ target }: InspectedFile, index: number) =>
    files.findIndex((file) => file.target === target) === index;
  return files
    .filter((file, index) => file.exists && isFirst(file, index))
    .map((file) => describe(agent, file, recordOf(file)));
}

function describe(agent: string, found: InspectedFile, record: DatedRecord | undefined): AgentFile {
  const { scope, file, beckonEntries, otherHooks, offSwitches, unknownEvents, ignoredFor } = found;
  const [offSwitch] = offSwitches;
  const [reason] = ignoredFor;
  const problem = found.problem?.message.replace(`${file.path}: `, "") ?? reason?.problem;
  const named = new Set(beckonEntries.flatMap(({ command }) => agentIn(command) ?? []));
  const others = [...named].filter((name) => name !== agent);
  return {
    scope,
    path: file.path,
    events: [...new Set(beckonEntries.map(({ event }) => event))],
    changed: record === undefined || found.problem ? [] : changedEvents(beckonEntries, record),
    otherHooks,
    ...omitUndefined({
      copiedFrom: others.length > 0 ? others : undefined,
      installedAt: record?.writtenAt,
      chosen: record?.events,
      problem,
      ignoredBy: found.problem || !reason ? undefined : reason.isTolerated ? "some versions" : "all versions",
      offSwitch,
      unknownEvents: unknownEvents.length > 0 ? unknownEvents : undefined,
    }),
  };
}

function agentIn(command: string): string | undefined {
  return / --agent ([a-z][\w-]*)/.exec(command)?.[1];
}

function changedEvents(present: InspectedFile["beckonEntries"], { entries }: InstallRecord): string[] {
  return Object.entries(entries).flatMap(([event, { command }]) => {
    const [first, second] = present.filter((entry) => entry.event === event);
    return first?.command === command && !second ? [] : [event];
  });
}
