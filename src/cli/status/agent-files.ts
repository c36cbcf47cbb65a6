import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { SettingsFile } from "../../../docs/output.d.ts";
import { SettingsError } from "../../core/errors.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { type BeckonCommands, recordedCommands } from "../../installer/beckon-commands.ts";
import { findPlace, readEvent } from "../../installer/editors/editor.ts";
import { findOtherHomes, type InspectedFile } from "../../installer/inspect.ts";
import { allRecords, type InstallPaths, type InstallRecord, recordPath } from "../../installer/record.ts";

/** Beckon's hooks and related facts in one of an agent's settings files, as `status --json` prints them. */
export type AgentFile = Readonly<SettingsFile>;

/**
 * Install record and the time when it was written, ISO 8601. The time is undefined if the record has just been deleted.
 */
interface DatedRecord extends InstallRecord {
  readonly writtenAt: string | undefined;
}

/** Records of earlier installs. */
export interface Installs {
  /** Folder of this beckon home. */
  readonly root: string;
  /** The user's home folder. */
  readonly home: string;
  readonly beckonCommands: BeckonCommands;
  readonly records: readonly DatedRecord[];
  /** Reason why the records are unreadable. Beckon's entries are then recognized by their command lines only. */
  readonly problem?: SettingsError;
}

/** Reads the records of earlier installs. If any of them cannot be read, returns none and the `problem`. */
export async function readInstalls(paths: InstallPaths, home: string): Promise<Installs> {
  const root = dirname(paths.launcher);
  try {
    const records = (await allRecords(paths)).map((record) => {
      const stats = statSync(recordPath(paths, record.target), { throwIfNoEntry: false });
      return { ...record, writtenAt: stats?.mtime.toISOString() };
    });
    return { root, home, beckonCommands: recordedCommands(records, paths, home), records };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { root, home, beckonCommands: recordedCommands([], paths, home), records: [], problem: error };
  }
}

/** Describes the existing settings files of an agent, in all scopes. */
export function describeFiles(
  agent: string,
  files: readonly InspectedFile[],
  installs: Pick<Installs, "records" | "root" | "home">,
): readonly AgentFile[] {
  const findRecord = ({ target }: InspectedFile) =>
    installs.records.find((record) => record.target === target && record.agent === agent);
  // In the home folder, the scopes `user` and `project` share one file.
  const isFirst = ({ target }: InspectedFile, index: number) =>
    files.findIndex((file) => file.target === target) === index;
  return files
    .filter((file, index) => file.exists && isFirst(file, index))
    .map((file) => {
      // A project's commands could name a home of their author's.
      const findOthers = (commands: readonly string[]) =>
        file.scope === "user" ? findOtherHomes(commands, installs.root, installs.home) : [];
      const otherHomes = findOthers(file.commands);
      const beckonEntries = file.beckonEntries.filter(({ command }) => findOthers([command]).length === 0);
      const own = describe(agent, { ...file, beckonEntries }, findRecord(file));
      return { ...own, ...(otherHomes.length > 0 && { otherHomes }) };
    });
}

const askPattern = / --ask (\d+)/;

function describe(agent: string, found: InspectedFile, record: DatedRecord | undefined): AgentFile {
  const { scope, file, beckonEntries, otherHooks, offSwitches, unknownEvents, ignoredFor } = found;
  const [offSwitch] = offSwitches;
  const [reason] = ignoredFor;
  const problem = found.problem?.message.replace(`${file.path}: `, "") ?? reason?.problem;
  const named = new Set(beckonEntries.flatMap(({ command }) => / --agent ([a-z][\w-]*)/.exec(command)?.[1] ?? []));
  const others = [...named].filter((name) => name !== agent);
  const asking = beckonEntries.filter(({ command }) => askPattern.test(command)).map(({ event }) => event);
  const seconds = beckonEntries.flatMap(({ command }) => askPattern.exec(command)?.[1] ?? []).map(Number);
  return {
    scope,
    path: file.path,
    events: [...new Set(beckonEntries.map(({ event }) => event))],
    changed: record === undefined || found.problem ? [] : changedEvents(beckonEntries, record),
    otherHooks,
    ...omitUndefined({
      asking: asking.length > 0 ? asking : undefined,
      askSeconds: seconds.length > 0 ? Math.min(...seconds) : undefined,
      copiedFrom: others.length > 0 ? others : undefined,
      installedAt: record?.writtenAt,
      chosen: record?.events,
      problem,
      ignoredBy: found.problem || !reason ? undefined : reason.isTolerated ? "some versions" : "all versions",
      offSwitch,
      ownProblem: found.ownProblem,
      unknownEvents: unknownEvents.length > 0 ? unknownEvents : undefined,
    }),
  };
}

function changedEvents(present: InspectedFile["beckonEntries"], { entries }: InstallRecord): string[] {
  return Object.entries(entries).flatMap(([place, { command }]) => {
    const [first, second] = present.filter((entry) => findPlace(entry) === place);
    return first?.command === command && !second ? [] : [readEvent(place)];
  });
}
