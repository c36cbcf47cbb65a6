import { isDeepStrictEqual } from "node:util";
import { getNodeValue, type Node } from "jsonc-parser";
import { toObject } from "../../../core/json-value.ts";
import { findPosition, type JsonPath, scanTokens } from "../../../text/jsonc.ts";
import {
  type EditRequest,
  type InstallEdit,
  type SettingsEditor,
  type SettingsSource,
  splice,
  unverified,
} from "../editor.ts";
import { expectType, findMember, listMembers, parseDocument, traitsIn } from "../json/document.ts";
import { addChild, detectLayout, removeChild } from "../json/edit-text.ts";
import { isOwnServer, joinWords, readWanted, refuseTaken, serverName } from "./server-entry.ts";

/** Form of the servers in a JSON file. */
interface ServerForm {
  /** Top-level member with the servers by name. */
  readonly map: string;
  /** Builds a server that runs a command. */
  build(words: readonly string[]): Readonly<Record<string, unknown>>;
}

/** Editor of JSON files with servers as `{ "command": program, "args": […] }` in `mcpServers`. */
export const serverEditor = createServerEditor({
  map: "mcpServers",
  build: ([command, ...args]) => ({ type: "stdio", command, args }),
});

/** Editor of JSON files with servers as `{ "type": "local", "command": [program, …] }` in `mcp`. */
export const localServerEditor = createServerEditor({
  map: "mcp",
  build: (command) => ({ type: "local", command, enabled: true }),
});

function createServerEditor(form: ServerForm): SettingsEditor {
  return {
    blank: "{}\n",
    install: (request) => install(form, request),
    remove: (request) => remove(form, request),
    list: (source) => {
      const { server } = readServers(form, source);
      return server ? [{ event: serverName, command: readCommand(server) }] : [];
    },
    members: ({ path, text }) =>
      Object.fromEntries(listMembers(parseDocument(path, text).root).map(({ name, value }) => [name, value.value])),
    read: ({ path, text }) => {
      const { root } = parseDocument(path, text);
      return { value: getNodeValue(root), locate: (at: JsonPath) => findPosition(text, root, at) };
    },
    traits: traitsIn,
  };
}

/** JSON file with its servers. */
interface ServerTree {
  readonly text: string;
  readonly root: Node;
  readonly map: Node | undefined;
  /** beckon's server, or somebody else's with its name. */
  readonly server: Node | undefined;
}

/** @throws {SettingsError} `settings.json`, `settings.shape` */
function readServers({ map: name }: ServerForm, { path, text }: Pick<SettingsSource, "path" | "text">): ServerTree {
  const document = parseDocument(path, text);
  const map = findMember(document, document.root, name, []);
  if (map) expectType(document, map, "object", [name]);
  const server = map && findMember(document, map, serverName, [name]);
  if (server) expectType(document, server, "object", [name, serverName]);
  return { text, root: document.root, map, server };
}

/** Reads the command line of a server: a program with `args`, or a list. */
function readCommand(server: Node): string {
  const { command, args } = toObject(getNodeValue(server));
  return joinWords([command, args ?? []].flat().map(String));
}

function install(form: ServerForm, request: InstallEdit) {
  const { words, command } = readWanted(request);
  const before = readServers(form, request);
  const text = write(form, before, words, request);
  const after = readServers(form, { ...request, text });
  if (after.server === undefined || readCommand(after.server) !== command)
    throw unverified(request.path, "the edit would not leave beckon's server");
  verify(form, request.path, before, after);
  return { text, created: before.map ? [] : [[form.map]], empty: false };
}

function write(form: ServerForm, { text, root, map, server }: ServerTree, words: readonly string[], edit: InstallEdit) {
  const value = form.build(words);
  const layout = detectLayout(text, root);
  if (!map) return addChild(text, root, { name: form.map, value: { [serverName]: value } }, layout);
  if (!server) return addChild(text, map, { name: serverName, value }, layout);
  const found = readCommand(server);
  if (found === joinWords(words)) return text;
  if (!isOwnServer(edit.beckonCommands, found)) throw refuseTaken(edit.path);
  const isChanged = ({ name, value: node }: { readonly name: string; readonly value: Node }) =>
    Object.hasOwn(value, name) && !isDeepStrictEqual(getNodeValue(node), value[name]);
  const changed = listMembers(server).filter(
    (member) => ["command", "args"].includes(member.name) && isChanged(member),
  );
  return splice(
    text,
    ...changed.map(({ name, value: { offset, length } }) => ({
      ...{ start: offset, end: offset + length, by: JSON.stringify(value[name]) },
    })),
  );
}

function remove(form: ServerForm, request: EditRequest) {
  const before = readServers(form, request);
  const { root, map, server } = before;
  const unchanged = { text: request.text, created: [], empty: false };
  if (!map || !server || !isOwnServer(request.beckonCommands, readCommand(server))) return unchanged;
  const isMade = request.made?.some(([name, ...inner]) => name === form.map && inner.length === 0) === true;
  const text =
    isMade && map.children?.length === 1 && !hasComments(request.text, map)
      ? removeChild(request.text, root, map.parent ?? map)
      : removeChild(request.text, map, server.parent ?? server);
  const after = readServers(form, { ...request, text });
  if (after.server) throw unverified(request.path, "the edit would leave beckon's server");
  verify(form, request.path, before, after);
  return { text, created: [], empty: after.root.children?.length === 0 && !hasComments(text, after.root) };
}

function hasComments(text: string, { offset, length }: Node): boolean {
  return [...scanTokens(text, offset, offset + length)].some(({ char }) => char === "/");
}

/** Verifies that nothing but beckon's server differs. @throws {SettingsError} `settings.verify` */
function verify(form: ServerForm, path: string, before: ServerTree, after: ServerTree): void {
  if (isDeepStrictEqual(readOthers(form, before), readOthers(form, after))) return;
  throw unverified(path, "the edit would touch more than beckon's server");
}

/** Lists the file's values without beckon's server, in order. */
function readOthers({ map: name }: ServerForm, { root }: ServerTree): unknown {
  const { [name]: map, ...others } = toObject(getNodeValue(root));
  const { [serverName]: _, ...servers } = toObject(map);
  return [Object.entries(others), Object.entries(servers)];
}
