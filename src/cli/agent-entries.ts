import { readFileSync, statSync } from "node:fs";
import { getNodeValue, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { lineAndColumn } from "../config/positions.ts";
import {
  type Agent,
  type AgentSettings,
  type Scope,
  type SettingsFile,
  type SettingsPlace,
  scopes,
} from "../core/agent.ts";
import { errnoOf } from "../core/errors.ts";

/** What one of an agent's settings files says about beckon. */
export interface AgentFile {
  readonly scope: Scope;
  readonly path: string;
  /** Events, by the agent's own names, whose hooks call our launcher for this agent. */
  readonly events: readonly string[];
  /** Why the agent does not read the file, or will not read it as meant. */
  readonly problem?: string;
  /** The setting that switches all hooks off, where it is set. */
  readonly offSwitch?: string;
}

const maxBytes = 5 * 1024 * 1024;

/** The settings files of an agent that exist, in all scopes. */
export function readAgentFiles(
  { name }: Agent,
  settings: AgentSettings,
  place: SettingsPlace,
  launcher: string,
): readonly AgentFile[] {
  const isOurs = launcherCall(launcher, place.home, name);
  return scopes.flatMap((scope) =>
    settings.files(scope, place).flatMap((file) => readAgentFile(scope, file, settings, isOurs) ?? []),
  );
}

function readAgentFile(
  scope: Scope,
  { path, shape }: SettingsFile,
  settings: AgentSettings,
  isOurs: (command: string) => boolean,
): AgentFile | undefined {
  const read = readText(path);
  if (read === undefined) return undefined;
  if (typeof read === "object") return { scope, path, events: [], ...read };
  const errors: ParseError[] = [];
  const tree = parseTree(read, errors, {
    allowTrailingComma: !settings.strictJson,
    disallowComments: settings.strictJson,
  });
  const value = asObject(tree && getNodeValue(tree));
  const [error] = errors;
  const offSwitch = Object.entries(settings.offSwitches).find(([key, off]) => value[key] === off)?.[0];
  const events = Object.entries(shape === "bare" ? value : asObject(value["hooks"])).filter(([, entries]) =>
    commandsIn(entries).some(isOurs),
  );
  return {
    scope,
    path,
    events: events.map(([event]) => event),
    ...(error && read.trim() !== "" && { problem: describe(error, read) }),
    ...(offSwitch !== undefined && { offSwitch }),
  };
}

/** Whether a hook's command calls our launcher for an agent: `~/.beckon/hook Stop --agent droid || :`, quoted or not. */
export function launcherCall(launcher: string, home: string, agent: string): (command: string) => boolean {
  const fromHome = launcher.startsWith(`${home}/`) ? launcher.slice(home.length + 1) : undefined;
  const spellings = [launcher, ...(fromHome === undefined ? [] : [`~/${fromHome}`, `$HOME/${fromHome}`])];
  const call = new RegExp(`(?:^|\\s)(?:${spellings.map(escapeRegExp).join("|")}) [A-Za-z-]+ --agent ${agent}(?:\\s|$)`);
  return (command) => call.test(command.replace(/["']/g, ""));
}

function commandsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(commandsIn);
  return Object.entries(asObject(value)).flatMap(([key, inner]) =>
    typeof inner === "string" ? (key === "command" ? [inner] : []) : commandsIn(inner),
  );
}

function describe({ error, offset }: ParseError, text: string): string {
  const { line, column } = lineAndColumn(text, offset);
  const code = printParseErrorCode(error);
  const words =
    code === "InvalidCommentToken" ? "a comment, which this agent does not allow" : `not valid JSON: ${code}`;
  return `line ${line}, column ${column}: ${words}`;
}

/** Never opens what could block. */
function readText(path: string): string | { readonly problem: string } | undefined {
  try {
    const stats = statSync(path);
    if (!stats.isFile() || stats.size > maxBytes) return { problem: "not a regular file of less than 5 MiB" };
    return readFileSync(path, "utf8").replace(/^\ufeff/, "");
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return undefined;
    return { problem: `cannot be read (${errnoOf(error)})` };
  }
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
