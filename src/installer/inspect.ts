import type { Agent } from "../core/agent.ts";
import type { JsonTrait, Scope, SettingsFile, SettingsPlace } from "../core/agent-settings.ts";
import { scopes } from "../core/agent-settings.ts";
import { SettingsError } from "../core/errors.ts";
import { readSettingsFile } from "./files/read-settings-file.ts";
import type { ListedEntry } from "./editors/editor.ts";
import { editors } from "./editors/registry.ts";
import { isOwn, type OwnCommands } from "./beckon-commands.ts";
import { decodeSettings, isBlank, maxSettingsBytes } from "./files/settings-text.ts";

/** One of an agent's settings files as it is now. */
export interface InspectedFile {
  readonly scope: Scope;
  readonly file: SettingsFile;
  /** Its real path. */
  readonly target: string;
  readonly exists: boolean;
  readonly own: readonly ListedEntry[];
  /** Hooks of others'. */
  readonly foreign: number;
  /** Settings in the file that switch all hooks off, e.g. `disableAllHooks`. */
  readonly offSwitches: readonly string[];
  /** What the file has for which this agent ignores the whole of it. */
  readonly ignoredFor: readonly JsonTrait[];
  /** Why it could not be read; then nothing else is known. */
  readonly problem?: SettingsError;
}

/** Every file in which an agent may look for hooks, most preferred first within a scope. Reads only, never throws. */
export async function inspectAgent(agent: Agent, place: SettingsPlace, own: OwnCommands): Promise<InspectedFile[]> {
  const { settings } = agent;
  if (!settings) return [];
  const files = scopes.flatMap((scope) => settings.files(scope, place).map((file) => ({ scope, file })));
  return Promise.all(files.map(({ scope, file }) => inspectFile(agent, scope, file, own)));
}

export async function inspectFile(
  agent: Agent,
  scope: Scope,
  file: SettingsFile,
  own: OwnCommands,
): Promise<InspectedFile> {
  const nothing = {
    scope,
    file,
    target: file.path,
    exists: true,
    own: [],
    foreign: 0,
    offSwitches: [],
    ignoredFor: [],
  };
  try {
    const { bytes, target } = await readSettingsFile(file.path, maxSettingsBytes, { anyOwner: true });
    if (bytes === undefined) return { ...nothing, target, exists: false };
    const source = decodeSettings(file.path, bytes);
    if (isBlank(source)) return { ...nothing, target };
    const { text } = source;
    const editor = editors[file.shape];
    const settings = { file: file.path, text, shape: file.shape };
    const listed = editor.list(settings);
    const ours = listed.filter(({ command }) => isOwn(own, command));
    const members = editor.members(settings);
    const switches = Object.entries(agent.settings?.offSwitches ?? {});
    const offSwitches = switches.filter(([name, off]) => members[name] === off).map(([name]) => name);
    const traits = [...editor.traits(text), ...(source.hasMark ? (["a byte-order mark"] as const) : [])];
    const ignoredFor = traits.filter((trait) => agent.settings?.ignoresFileWith.includes(trait));
    return { ...nothing, target, own: ours, foreign: listed.length - ours.length, offSwitches, ignoredFor };
  } catch (error) {
    if (error instanceof SettingsError) return { ...nothing, problem: error };
    throw error;
  }
}
