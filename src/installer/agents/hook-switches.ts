import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type ParseError, parse } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import type { Agent } from "../../core/agent.ts";
import type { HooksBeside, SettingsPlace } from "../../core/agent-settings.ts";
import { SettingsError } from "../../core/errors.ts";
import { readSettingsFile } from "../files/read-settings-file.ts";
import { isOwn, type OwnCommands } from "../beckon-commands.ts";
import { at, listOf } from "../../core/json-value.ts";

/** A setting, in a file other than those that hold hooks, that switches an agent's hooks off. */
export interface ThrownSwitch {
  readonly path: string;
  /** As it stands in the file, e.g. `disableAllHooks`. */
  readonly setting: string;
  /** It switches off nothing but hooks of ours. */
  readonly isOurs?: true;
}

/** Claude Code keeps its whole history of projects in one. */
const maxBytes = 32 * 1024 * 1024;

/** The switches of an agent that are thrown on this machine. Never throws. */
export async function readSwitches({ settings }: Pick<Agent, "settings">, place: SettingsPlace, own: OwnCommands) {
  const switches = settings?.switches?.(place) ?? [];
  const files = switches.flatMap((one) => filesAt(one.path).map((path) => ({ ...one, path })));
  const thrown = files.map(async ({ path, off, list }): Promise<ThrownSwitch[]> => {
    const value = await readValue(path);
    const all = thrownIn(value, off).map((setting) => ({ path, setting }));
    const single = list ? listOf(at(value, ...list)) : [];
    const isOurs = single.some((command) => typeof command === "string" && isOwn(own, command));
    return list && isOurs ? [...all, { path, setting: list.join("."), isOurs }] : all;
  });
  return (await Promise.all(thrown)).flat();
}

function filesAt(path: string): string[] {
  if (basename(path) !== "*.json") return [path];
  const folder = dirname(path);
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
    return names.sort().map((name) => join(folder, name));
  } catch {
    return []; // no such folder, or none that may be looked into
  }
}

/** Each switch once: a settings file may be looked at as the user's, as the project's, and for switches alone. */
export function eachOnce(switches: readonly ThrownSwitch[]): readonly ThrownSwitch[] {
  return [...new Map(switches.map((one) => [JSON.stringify([one.path, one.setting]), one])).values()];
}

/** Files beside an agent's own that hold hooks too, where it is the worse for it. Never throws. */
export async function readBeside({ settings }: Pick<Agent, "settings">, place: SettingsPlace): Promise<HooksBeside[]> {
  const found = (settings?.beside?.(place) ?? []).map(async (beside) => {
    const hooks = at(await readValue(beside.path), beside.member);
    const names = typeof hooks === "object" && hooks !== null ? Object.keys(hooks) : [];
    return names.some((name) => !beside.except.includes(name)) ? [beside] : [];
  });
  return (await Promise.all(found)).flat();
}

/** Names of the members of `off` that a settings value agrees with; of an object every member has to. */
export function thrownIn(value: unknown, off: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(off).flatMap(([name, wanted]) => (agrees(at(value, name), wanted) ? [name] : []));
}

function agrees(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null) return value === wanted;
  return Object.entries(wanted).every(([name, inner]) => agrees(at(value, name), inner));
}

/** A JSON (with comments) or TOML file as a value; undefined where there is none, or none that can be read. */
export async function readValue(path: string): Promise<unknown> {
  try {
    // A policy is the administrator's.
    const { bytes } = await readSettingsFile(path, maxBytes, { anyOwner: true });
    return bytes && parseValue(path, bytes.toString("utf8"));
  } catch (error) {
    if (error instanceof SettingsError) return undefined;
    throw error;
  }
}

function parseValue(path: string, text: string): unknown {
  if (path.endsWith(".toml")) {
    try {
      return parseToml(text);
    } catch {
      return undefined; // the agent cannot read it either
    }
  }
  const errors: ParseError[] = [];
  const value: unknown = parse(text.replace(/^\ufeff/, ""), errors, { allowTrailingComma: true });
  return errors.length === 0 ? value : undefined;
}
