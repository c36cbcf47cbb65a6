import { isDeepStrictEqual } from "node:util";
import type { AST } from "toml-eslint-parser";
import { toList, toObject } from "../../../core/json-value.ts";
import { lineAndColumn } from "../../../text/jsonc.ts";
import {
  type EditRequest,
  type InstallEdit,
  type Range,
  type SettingsEditor,
  type SettingsSource,
  splice,
  unverified,
  wrongShape,
} from "../editor.ts";
import { findPair, parseProgram, parseToml, spell, toRange } from "../toml/hook-tables.ts";
import { isOwnServer, joinWords, readWanted, refuseTaken, serverName } from "./server-entry.ts";

const map = "mcp_servers";
const table = `[${map}.${serverName}]`;

/** Editor of TOML files with servers as tables `[mcp_servers.name]`. */
export const serverTableEditor: SettingsEditor = {
  blank: "",
  install,
  remove,
  list: (source) => {
    const command = readCommand(source);
    return command === undefined ? [] : [{ event: serverName, command }];
  },
  members: parseToml,
  read: (source) => ({ value: parseToml(source), locate: () => lineAndColumn(source.text, 0) }),
  traits: () => [],
};

/** Reads the command line of beckon's server, or of somebody else's with its name. @throws {SettingsError} */
function readCommand(source: SettingsSource): string | undefined {
  const server = toObject(parseToml(source)[map])[serverName];
  if (server === undefined) return undefined;
  const { command, args } = toObject(server);
  return joinWords([command, ...toList(args)].map(String));
}

function install(request: InstallEdit) {
  const { words, command } = readWanted(request);
  const found = readCommand(request);
  if (found === command) return { text: request.text, created: [], empty: false };
  if (found !== undefined && !isOwnServer(request.beckonCommands, found)) throw refuseTaken(request.path);
  const text = found === undefined ? append(request.text, words) : replace(request, words);
  if (readEdited(request, text) !== command) throw unverified(request.path, "the edit would not leave beckon's server");
  verify(request, text);
  return { text, created: [], empty: false };
}

function append(text: string, words: readonly string[]): string {
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  const lines = [table, ...spellPairs(words).map((pair) => pair.join(" = "))].join(eol) + eol;
  if (text === "") return lines;
  return text + (/[\r\n]$/.test(text) ? "" : eol) + eol + lines;
}

function spellPairs([command = "", ...args]: readonly string[]): [name: string, value: string][] {
  return Object.entries({ command: spell(command), args: `[${args.map(spell).join(", ")}]` });
}

/** Replaces the command of beckon's server; the user's other keys and comments stay. */
function replace(request: SettingsSource, words: readonly string[]): string {
  const server = findTables(request).find(({ resolvedKey }) => resolvedKey.length === 2);
  const changes = spellPairs(words).map(([name, by]) => {
    const pair = findPair(server?.body ?? [], name);
    if (!pair) throw unknownForm(request);
    return { ...toRange(pair.value), by };
  });
  return splice(request.text, ...changes);
}

function unknownForm(source: SettingsSource) {
  return wrongShape(source, `${map}.${serverName}`, 0, "has a form that beckon cannot edit");
}

function remove(request: EditRequest) {
  const found = readCommand(request);
  const unchanged = { text: request.text, created: [], empty: false };
  if (found === undefined || !isOwnServer(request.beckonCommands, found)) return unchanged;
  const tables = findTables(request);
  if (tables.length === 0) throw unknownForm(request);
  const text = splice(request.text, ...tables.map(({ range }) => withBlankLine(request.text, range)));
  if (readEdited(request, text) !== undefined) throw unverified(request.path, "the edit would leave beckon's server");
  verify(request, text);
  return { text, created: [], empty: text.trim() === "" };
}

/** Finds the tables of beckon's server, with subtables. */
function findTables(source: SettingsSource): AST.TOMLTable[] {
  return parseProgram(source).body[0].body.flatMap((node) =>
    node.type === "TOMLTable" && node.resolvedKey[0] === map && node.resolvedKey[1] === serverName ? [node] : [],
  );
}

/** Extends a range by the rest of its last line and by a blank line above. */
function withBlankLine(text: string, [start, end]: AST.TOMLTable["range"]): Range {
  const lineEnd = /^[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|$)/.exec(text.slice(end))?.[0] ?? "";
  const blank = /(?:^|\n)([ \t]*\r?\n)[ \t]*$/.exec(text.slice(0, start))?.[1] ?? "";
  return { start: start - blank.length, end: end + lineEnd.length };
}

/** Reads the command of an edited text. A syntax error counts as a fault in the edit. */
function readEdited(request: SettingsSource, text: string): string | undefined {
  try {
    return readCommand({ ...request, text });
  } catch {
    throw unverified(request.path, "the edit would break it");
  }
}

/** Verifies that nothing but beckon's server differs. @throws {SettingsError} `settings.verify` */
function verify(before: SettingsSource, text: string): void {
  const [others, now] = [before, { ...before, text }].map(readOthers);
  if (!isDeepStrictEqual(others, now)) throw unverified(before.path, "the edit would touch more than beckon's server");
}

function readOthers(source: SettingsSource): unknown {
  const { [map]: all, ...others } = parseToml(source);
  const { [serverName]: _, ...servers } = toObject(all);
  return [Object.entries(others), Object.entries(servers)];
}
