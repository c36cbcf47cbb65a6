import { realpathSync } from "node:fs";
import type { Agent } from "../core/agent.ts";
import {
  type AgentSettings,
  type InstallEnvironment,
  type Scope,
  type SettingsFile,
  scopes,
} from "../core/agent-settings.ts";
import { SettingsError } from "../core/errors.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { quietly } from "../core/quietly.ts";
import { type BeckonCommands, findHome, isBeckonCommand, recordedCommands } from "./beckon-commands.ts";
import type { InstallerContext } from "./context.ts";
import type { ListedEntry } from "./editors/editor.ts";
import { editors } from "./editors/registry.ts";
import { decodeSettings, isBlank, maxSettingsBytes, readSettingsFile } from "./files/read-settings-file.ts";
import { findOwnProblem, type OwnFileProblem } from "./own-files.ts";
import { missingPreamble, reasonsToIgnore, type SchemaViolation, type SettingsTask } from "./plan-file.ts";
import { allRecords } from "./record.ts";

/** Current state of one of an agent's settings files. */
export interface InspectedFile {
  readonly scope: Scope;
  readonly file: SettingsFile;
  /** Real path. */
  readonly target: string;
  readonly exists: boolean;
  readonly beckonEntries: readonly ListedEntry[];
  /** Command lines of all hooks. */
  readonly commands: readonly string[];
  /** Number of hooks that are not beckon's. */
  readonly otherHooks: number;
  /** Settings in the file that disable all hooks, e.g. `disableAllHooks`. */
  readonly offSwitches: readonly string[];
  /** Unknown events that make the agent ignore all hooks. */
  readonly unknownEvents: readonly string[];
  /** Faults that make the agent ignore the whole file, each with its position. */
  readonly ignoredFor: readonly SchemaViolation[];
  /** Reason why a file that only beckon should write differs from what this version writes. */
  readonly ownProblem?: OwnFileProblem;
  /** Reason why the file is unreadable; then nothing else is known. */
  readonly problem?: SettingsError;
}

/** Inspects all files that an agent may read hooks from, preferred first within a scope. Never writes or throws. */
export async function inspectAgent(
  agent: Pick<Agent, "settings">,
  environment: InstallEnvironment,
  beckonCommands: BeckonCommands,
): Promise<InspectedFile[]> {
  const files = scopes.flatMap((scope) =>
    (agent.settings?.files(scope, environment) ?? []).map((file) => ({ scope, file })),
  );
  return Promise.all(files.map(({ scope, file }) => inspectFile(agent, scope, file, beckonCommands)));
}

/** Inspects the user's files in which an agent may have beckon's MCP server. Never writes or throws. */
export function inspectServers(
  agent: Pick<Agent, "settings">,
  environment: InstallEnvironment,
  beckonCommands: BeckonCommands,
): Promise<InspectedFile[]> {
  const files = agent.settings?.servers?.(environment) ?? [];
  return Promise.all(files.map((file) => inspectFile(agent, "user", file, beckonCommands)));
}

const nothingFound = {
  beckonEntries: [],
  commands: [],
  otherHooks: 0,
  offSwitches: [],
  unknownEvents: [],
  ignoredFor: [],
};

/** Inspects one of an agent's settings files. Never writes or throws. */
export async function inspectFile(
  { settings }: Pick<Agent, "settings">,
  scope: Scope,
  file: SettingsFile,
  beckonCommands: BeckonCommands,
): Promise<InspectedFile> {
  try {
    const { bytes, target, mode } = await readSettingsFile(file.path, maxSettingsBytes, { anyOwner: true });
    const found = { scope, file, target, exists: bytes !== undefined, ...nothingFound };
    const source = bytes && decodeSettings(file.path, bytes);
    if (!source || isBlank(source)) return found;
    const { list, members } = editors[file.shape];
    const listed = list({ ...file, text: source.text });
    const beckonEntries = listed.filter(({ command }) => isBeckonCommand(beckonCommands, command));
    const values = members({ ...file, text: source.text });
    const switches = Object.entries(settings?.offSwitches ?? {});
    return {
      ...found,
      beckonEntries,
      commands: listed.map(({ command }) => command),
      otherHooks: listed.length - beckonEntries.length,
      offSwitches: switches.filter(([name, off]) => [off].flat().includes(values[name])).map(([name]) => name),
      unknownEvents: unknownEvents(listed, settings),
      ...omitUndefined({ ownProblem: findOwnProblem(file, { text: source.text, mode }, settings) }),
      ignoredFor: [
        ...(settings ? reasonsToIgnore(file, source, settings) : []),
        ...(beckonEntries.length > 0 ? missingPreamble(file, values) : []),
      ],
    };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { scope, file, target: file.path, exists: true, ...nothingFound, problem: error };
  }
}

/** Lists the roots of the other beckon homes on this machine whose launchers these command lines call. */
export function findOtherHomes(commands: readonly string[], root: string, home: string): string[] {
  const realPath = (path: string) => quietly(() => realpathSync(path)) ?? path;
  const found = commands.flatMap((command) => findHome(command, home) ?? []);
  return [...new Set(found)].filter((other) => realPath(other) !== realPath(root));
}

function unknownEvents(listed: readonly ListedEntry[], settings: AgentSettings | undefined): readonly string[] {
  const known = settings?.onlyKnown?.events;
  return known ? [...new Set(listed.map(({ event }) => event))].filter((event) => !known.includes(event)) : [];
}

/** Settings file that has or had beckon's hooks, and its state. */
export interface HookFile extends SettingsTask, InspectedFile {}

/**
 * Lists every file on record in any project, and every known settings file with beckon's entries: the user's files
 * first, then in the order of the agents. Leaves out files whose hooks all belong to another home that is in use.
 * @throws {SettingsError} `settings.record`
 */
export async function filesWithBeckonHooks(
  { environment, paths, agents }: InstallerContext,
  { agents: names = [], scope: only }: { readonly agents?: readonly string[] | undefined; readonly scope?: Scope } = {},
): Promise<HookFile[]> {
  const records = await allRecords(paths);
  const beckonCommands = recordedCommands(records, paths, environment.home);
  const isWantedAgent = (name: string) => names.length === 0 || names.includes(name);
  const isWanted = (name: string, scope: Scope) => isWantedAgent(name) && (only === undefined || scope === only);
  const isOthers = (command: string) => findOtherHomes([command], paths.root, environment.home).length > 0;
  const isElsewhere = ({ beckonEntries }: InspectedFile) =>
    beckonEntries.length > 0 && beckonEntries.every(({ command }) => isOthers(command));
  const found = new Map<string, HookFile>();
  for (const { agent: name, scope, file: path, shape, target } of records) {
    if (!isWanted(name, scope)) continue;
    const agent = agents.find((each) => each.name === name) ?? {};
    const inspected = await inspectFile(agent, scope, { path, shape }, beckonCommands);
    if (!isElsewhere(inspected)) found.set(target, { ...inspected, agent: name, beckonCommands });
  }
  for (const agent of agents.filter(({ name }) => isWantedAgent(name))) {
    const hooks = await inspectAgent(agent, environment, beckonCommands);
    for (const inspected of [...hooks, ...(await inspectServers(agent, environment, beckonCommands))]) {
      const { scope, target, beckonEntries } = inspected;
      if (beckonEntries.length === 0 || !isWanted(agent.name, scope) || found.has(target)) continue;
      if (!isElsewhere(inspected)) found.set(target, { ...inspected, agent: agent.name, beckonCommands });
    }
  }
  const position = ({ agent }: HookFile): number => agents.findIndex(({ name }) => name === agent);
  return [...found.values()].sort(
    (a, b) => scopes.indexOf(a.scope) - scopes.indexOf(b.scope) || position(a) - position(b),
  );
}
