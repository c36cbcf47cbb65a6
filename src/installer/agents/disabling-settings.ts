import { basename, dirname, join } from "node:path";
import { getNodeValue } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import type { Agent } from "../../core/agent.ts";
import type { InstallEnvironment, OtherHookFile, Trust } from "../../core/agent-settings.ts";
import { SettingsError } from "../../core/errors.ts";
import { asObject, at, toList } from "../../core/json-value.ts";
import { quietly } from "../../core/quietly.ts";
import { listQuietly } from "../../files/read-file.ts";
import { parseJsonc } from "../../text/jsonc.ts";
import { type BeckonCommands, isBeckonCommand } from "../beckon-commands.ts";
import { readSettingsFile, resolveTarget } from "../files/read-settings-file.ts";
import type { InspectedFile } from "../inspect.ts";

/** Setting that disables an agent's hooks. */
export interface DisablingSetting {
  readonly path: string;
  /** Path of the setting in the file, e.g. `disableAllHooks`, `features.hooks`. */
  readonly setting: string;
  /** True if the setting disables only beckon's hooks. */
  readonly isOurs?: true;
  /** True if only older versions of the agent read the setting. */
  readonly inOlderVersions?: true;
}

/** Maximum size of a file to read, bytes. Claude Code keeps its whole history of projects in one file. */
const maxFileBytes = 32 * 1024 * 1024;
/** Maximum nesting depth to read. */
const maxDepth = 200;

/**
 * Finds settings that disable an agent's hooks on this machine, in files other than those with the hooks. Never throws.
 */
export async function readSwitches(
  { settings }: Pick<Agent, "settings">,
  environment: InstallEnvironment,
  beckonCommands: BeckonCommands,
) {
  const ourName = settings?.entry?.labels?.name;
  const switches = settings?.switches?.(environment) ?? [];
  const files = switches.flatMap((item) => filesAt(item.path).map((path) => ({ ...item, path })));
  const namesUs = (hooks: unknown) =>
    toList(hooks).some(
      (hook) => typeof hook === "string" && (hook === ourName || isBeckonCommand(beckonCommands, hook)),
    );
  const disabling = files.map(async ({ path, off, list, olderOff = {}, olderList }): Promise<DisablingSetting[]> => {
    const value = await readValue(path);
    const ours = (names: readonly string[] = []): DisablingSetting[] =>
      namesUs(at(value, ...names)) ? [{ path, setting: names.join("."), isOurs: true }] : [];
    const now = findMatching(value, off).map((setting) => ({ path, setting }));
    const before = [...findMatching(value, olderOff).map((setting) => ({ path, setting })), ...ours(olderList)];
    return [...now, ...before.map((item) => ({ ...item, inOlderVersions: true as const })), ...ours(list)];
  });
  return (await Promise.all(disabling)).flat();
}

/** Reads the value of a file, or of all JSON files in a folder if the path ends in `*.json`. Skips unreadable files. */
export async function readValues(path: string): Promise<readonly unknown[]> {
  const values = await Promise.all(filesAt(path).map(readValue));
  return values.filter((value) => value !== undefined);
}

function filesAt(path: string): string[] {
  if (basename(path) !== "*.json") return [path];
  const folder = dirname(path);
  const names = listQuietly(folder).filter((name) => name.endsWith(".json"));
  return names.sort().map((name) => join(folder, name));
}

/**
 * Keeps the first item for each pair of file and key. A link counts as the file to which it leads. Without this, items
 * occur twice if the user's settings and the project's settings are the same file.
 */
export async function dedupeByFile<Item extends { readonly path: string }>(
  items: readonly Item[],
  readKey: (item: Item) => string,
): Promise<Item[]> {
  const found = new Map<string, Item>();
  for (const item of items) {
    const target = await resolveTarget(item.path).catch(() => item.path); // a loop of links
    const key = JSON.stringify([target, readKey(item)]);
    if (!found.has(key)) found.set(key, item);
  }
  return [...found.values()];
}

/** Finds other files of an agent whose hooks interfere with beckon's. Never throws. */
export async function readOtherHookFiles(
  { settings }: Pick<Agent, "settings">,
  environment: InstallEnvironment,
): Promise<OtherHookFile[]> {
  const found = (settings?.otherHookFiles?.(environment) ?? []).map(async (file) => {
    const hooks = at(await readValue(file.path), file.member);
    const names = typeof hooks === "object" && hooks !== null ? Object.keys(hooks) : [];
    return names.some((name) => !file.except.includes(name)) ? [file] : [];
  });
  // In the home folder, the user's file is also the project's.
  return dedupeByFile((await Promise.all(found)).flat(), ({ member }) => member);
}

/**
 * Lists the paths of settings, such as `features.hooks`, that have a disabling value from `off`. If that value is an
 * object, all of its members must match.
 */
function findMatching(value: unknown, off: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(off).flatMap(([name, wanted]) =>
    agrees(at(value, name), wanted) ? pathsIn(name, wanted) : [],
  );
}

function agrees(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) return wanted.includes(value);
  if (typeof wanted !== "object" || wanted === null) return value === wanted;
  return Object.entries(wanted).every(([name, inner]) => agrees(at(value, name), inner));
}

function pathsIn(name: string, wanted: unknown): string[] {
  const members = Object.entries(asObject(wanted) ?? {});
  if (members.length === 0) return [name];
  return members.flatMap(([member, inner]) => pathsIn(`${name}.${member}`, inner));
}

/**
 * Reads from an agent's files whether the agent trusts beckon's hooks. Undefined if the agent has no beckon hooks, or
 * no record of trust that beckon can read.
 */
export async function readTrust(
  { settings }: Pick<Agent, "settings">,
  environment: InstallEnvironment,
  inspected: readonly InspectedFile[],
  beckonCommands: BeckonCommands,
): Promise<Trust | undefined> {
  const files = inspected.flatMap(({ scope, file, target, beckonEntries }) =>
    beckonEntries.length > 0 ? [{ scope, path: file.path, target }] : [],
  );
  if (files.length === 0) return undefined;
  return settings?.readTrust?.({
    environment,
    files,
    readValue,
    isBeckonCommand: (command) => isBeckonCommand(beckonCommands, command),
  });
}

/** Reads a JSON (with comments) or TOML file; undefined if it is missing or unreadable. */
export async function readValue(path: string): Promise<unknown> {
  try {
    // The owner may be the administrator, who sets policies.
    const { bytes } = await readSettingsFile(path, maxFileBytes, { anyOwner: true });
    return bytes && parseValue(path, bytes.toString("utf8"));
  } catch (error) {
    if (error instanceof SettingsError) return undefined;
    throw error;
  }
}

function parseValue(path: string, text: string): unknown {
  if (path.endsWith(".toml")) return quietly(() => parseToml(text)); // the agent cannot read invalid TOML either
  const json = text.replace(/^\ufeff/, "");
  try {
    return JSON.parse(json); // many times faster than `parseJsonc`, and most files are strict JSON
  } catch {
    const { tree, problem } = parseJsonc(json, maxDepth);
    return tree && !problem ? getNodeValue(tree) : undefined;
  }
}
