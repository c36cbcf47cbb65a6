import { isDeepStrictEqual } from "node:util";
import { getNodeValue, type Node } from "jsonc-parser";
import type { AST } from "toml-eslint-parser";
import { SettingsError } from "../../core/errors.ts";
import { type JsonObject, toList, toObject } from "../../core/json-value.ts";
import { lineAndColumn } from "../../text/jsonc.ts";
import {
  type EditRequest,
  type ListedEntry,
  type Range,
  type SettingsSource,
  splice,
  unverified,
  type WantedEntry,
  wrongShape,
} from "./editor.ts";
import { type EntryTree, entryEditor } from "./hook-entries.ts";
import {
  expectType,
  findMember,
  hasComments,
  jsonBasics,
  listMembers,
  parseDocument,
  type SettingsDocument,
} from "./json/document.ts";
import { addChild, detectLayout, removeChild } from "./json/edit-text.ts";
import { findPair, parseProgram, parseToml, spell, toRange } from "./toml-editor.ts";

/** Name of beckon's server in an agent's settings. */
export const serverName = "beckon";

/** Joins a server's program and arguments, as install records keep them. */
export function joinWords(words: readonly string[]): string {
  return words.join(" ");
}

/** Lists the server with beckon's name, beckon's or somebody else's, with its command line. */
function listServer(server: unknown): ListedEntry[] {
  if (server === undefined) return [];
  const { command, args } = toObject(server);
  return [{ event: serverName, command: joinWords([command, ...toList(args)].flat().map(String)) }];
}

/** Refuses to replace a server of the same name that is not beckon's. @throws {SettingsError} `settings.taken` */
function refuseTaken({ path, entries }: EntryTree): void {
  if (entries.length === 0) return;
  const hint = "Rename that server, then try again. Nothing was changed.";
  throw new SettingsError("settings.taken", path, `it has another server called ${serverName}`, hint);
}

/** Verifies that nothing but beckon's server differs, not even the order. @throws {SettingsError} `settings.verify` */
function verifyServers(map: string, path: string, before: JsonObject, after: JsonObject): void {
  const [others, now] = [before, after].map(({ [map]: all, ...rest }) => {
    const { [serverName]: _, ...servers } = toObject(all);
    return [Object.entries(rest), Object.entries(servers)];
  });
  if (!isDeepStrictEqual(others, now)) throw unverified(path, "the edit would touch more than beckon's server");
}

/** JSON file with its servers. */
interface ServerTree extends EntryTree, SettingsDocument {
  readonly map: Node | undefined;
  readonly server: Node | undefined;
}

/**
 * Creates the editor of JSON files with servers by name.
 * @param name top-level member with the servers
 * @param build builds a server that runs a command
 */
function createServerEditor(name: string, build: (words: readonly string[]) => JsonObject) {
  const read = ({ path, text }: SettingsSource): ServerTree => {
    const document = parseDocument(path, text);
    const map = findMember(document, document.root, name, []);
    if (map) expectType(document, map, "object", [name]);
    const server = map && findMember(document, map, serverName, [name]);
    if (server) expectType(document, server, "object", [name, serverName]);
    return { ...document, map, server, entries: listServer(server && getNodeValue(server)) };
  };
  const add = (tree: ServerTree, _: string, { words = [] }: WantedEntry): string => {
    refuseTaken(tree);
    const { text, root, map } = tree;
    const [value, layout] = [build(words), detectLayout(text, root)];
    if (!map) return addChild(text, root, { name, value: { [serverName]: value } }, layout);
    return addChild(text, map, { name: serverName, value }, layout);
  };
  const update = ({ text, server }: ServerTree, { words = [] }: WantedEntry): string => {
    const wanted = build(words);
    const changed = (server ? listMembers(server) : []).filter(
      (member) =>
        ["command", "args"].includes(member.name) &&
        Object.hasOwn(wanted, member.name) &&
        !isDeepStrictEqual(getNodeValue(member.value), wanted[member.name]),
    );
    const replaced = changed.map(({ name: member, value: { offset: start, length } }) => {
      return { start, end: start + length, by: JSON.stringify(wanted[member]) };
    });
    return splice(text, ...replaced);
  };
  const remove = ({ text, root, map, server }: ServerTree, _: ListedEntry, { made }: EditRequest): string => {
    if (!map || !server) return text;
    const isMade = made?.some(([first, ...inner]) => first === name && inner.length === 0) === true;
    return isMade && map.children?.length === 1 && !hasComments(text, map.offset, map.offset + map.length)
      ? removeChild(text, root, map.parent ?? map)
      : removeChild(text, map, server.parent ?? server);
  };
  const verify = (before: ServerTree, { path, text, root, map }: ServerTree) => {
    verifyServers(name, path, getNodeValue(before.root), getNodeValue(root));
    const empty = root.children?.length === 0 && !hasComments(text);
    return { created: map && !before.map ? [[name]] : [], empty };
  };
  return entryEditor<ServerTree>({ ...jsonBasics, read, add, update, remove, verify });
}

/** Editor of JSON files with servers as `{ "command": program, "args": […] }` in `mcpServers`. */
export const serverEditor = createServerEditor("mcpServers", ([command, ...args]) => {
  return { type: "stdio", command, args };
});

/** Editor of JSON files with servers as `{ "type": "local", "command": [program, …] }` in `mcp`. */
export const localServerEditor = createServerEditor("mcp", (command) => ({ type: "local", command, enabled: true }));

const tomlMap = "mcp_servers";

/** Editor of TOML files with servers as tables `[mcp_servers.name]`. */
export const serverTableEditor = entryEditor<EntryTree>({
  blank: "",
  read: (source) => ({ ...source, entries: listServer(toObject(parseToml(source)[tomlMap])[serverName]) }),
  members: parseToml,
  locate: (source) => ({ value: parseToml(source), locate: () => lineAndColumn(source.text, 0) }),
  traits: () => [],
  spell,
  add(tree, _, { words = [] }) {
    refuseTaken(tree);
    const { text } = tree;
    const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
    const pairs = spellPairs(words).map((pair) => pair.join(" = "));
    const lines = [`[${tomlMap}.${serverName}]`, ...pairs].join(eol) + eol;
    if (text === "") return lines;
    return text + (/[\r\n]$/.test(text) ? "" : eol) + eol + lines;
  },
  /** Replaces the command of beckon's server; the user's other keys and comments stay. */
  update(tree, { words = [] }) {
    const server = findTables(tree).find(({ resolvedKey }) => resolvedKey.length === 2);
    const changes = spellPairs(words).map(([name, by]) => {
      const pair = findPair(server?.body ?? [], name);
      if (!pair) throw unknownForm(tree);
      return { ...toRange(pair.value), by };
    });
    return splice(tree.text, ...changes);
  },
  remove(tree) {
    const tables = findTables(tree);
    if (tables.length === 0) throw unknownForm(tree);
    return splice(tree.text, ...tables.map(({ range }) => withBlankLine(tree.text, range)));
  },
  verify(before, after) {
    verifyServers(tomlMap, after.path, parseToml(before), parseToml(after));
    return { created: [], empty: after.text.trim() === "" };
  },
});

function spellPairs([command = "", ...args]: readonly string[]): [name: string, value: string][] {
  return Object.entries({ command: spell(command), args: `[${args.map(spell).join(", ")}]` });
}

function unknownForm(tree: EntryTree): SettingsError {
  return wrongShape(tree, `${tomlMap}.${serverName}`, 0, "has a form that beckon cannot edit");
}

/** Finds the tables of beckon's server, with subtables. */
function findTables(tree: EntryTree): AST.TOMLTable[] {
  return parseProgram(tree).body[0].body.flatMap((node) =>
    node.type === "TOMLTable" && node.resolvedKey[0] === tomlMap && node.resolvedKey[1] === serverName ? [node] : [],
  );
}

/** Extends a range by the rest of its last line and by a blank line above. */
function withBlankLine(text: string, [start, end]: AST.TOMLTable["range"]): Range {
  const lineEnd = /^[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|$)/.exec(text.slice(end))?.[0] ?? "";
  const blank = /(?:^|\n)([ \t]*\r?\n)[ \t]*$/.exec(text.slice(0, start))?.[1] ?? "";
  return { start: start - blank.length, end: end + lineEnd.length };
}
