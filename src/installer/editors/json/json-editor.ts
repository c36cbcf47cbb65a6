import type { Node } from "jsonc-parser";
import { asText } from "../../../core/json-value.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { type JsonPath, scanTokens } from "../../../text/jsonc.ts";
import { type BeckonCommands, isBeckonCommand } from "../../beckon-commands.ts";
import {
  buildEntry,
  buildPreamble,
  commandMembers,
  type Edited,
  type EditRequest,
  type InstallEdit,
  type Range,
  type SettingsSource,
  timeoutMembers,
  unverified,
  type WantedEntry,
} from "../editor.ts";
import { entryEditor, type FoundEntry } from "../hook-entries.ts";
import {
  createShapeError,
  expectType,
  findMember,
  hasComments,
  isScalar,
  jsonBasics,
  listMembers,
  parseDocument,
  type SettingsDocument,
} from "./document.ts";
import { addChild, detectLayout, removeChild } from "./edit-text.ts";

/**
 * Editor of JSON settings files, with or without comments. Hooks are in groups, as in Claude's settings, or in flat
 * lists.
 */
export const jsonEditor = entryEditor<HookTree>({
  ...jsonBasics,
  read: readHooks,
  add,
  label,
  unlabel,
  remove,
  verify: verifyEdit,
});

function add(tree: HookTree, event: string, wanted: WantedEntry, request: InstallEdit): string {
  const { text, root, map, mapPath } = tree;
  const layout = detectLayout(text, root);
  const group = omitUndefined({ matcher: wanted.matcher?.text, hooks: [buildEntry(wanted)] });
  const value = hasGroups(request.shape) ? group : buildEntry(wanted);
  const entries = tree.events.get(event);
  if (entries) return addChild(text, entries, { value }, layout);
  if (map) return addChild(text, map, { name: event, value: [value] }, layout);
  const there = new Set(listMembers(root).map(({ name }) => name));
  const [missing] = Object.entries(buildPreamble(request)).filter(([name]) => !there.has(name));
  if (missing) {
    const begun = addChild(text, root, { name: missing[0], value: missing[1] }, layout);
    return add(readHooks({ ...request, text: begun }), event, wanted, request);
  }
  return addChild(text, root, { name: String(mapPath[0]), value: { [event]: [value] } }, layout);
}

function label({ text, root }: HookTree, { node }: HookEntry, name: string, value: string): string {
  const hasLabel = listMembers(node).some((member) => member.name === name);
  return hasLabel ? text : addChild(text, node, { name, value }, detectLayout(text, root));
}

function unlabel({ text }: HookTree, { node }: HookEntry, name: string, value: string): string {
  const found = listMembers(node).find((member) => member.name === name && member.value.value === value);
  return found ? removeChild(text, node, found.property) : text;
}

function remove(tree: HookTree, entry: HookEntry, request: EditRequest): string {
  const { text, root, map, mapPath } = tree;
  const entries = tree.events.get(entry.event);
  if (!entries || !map) return text;
  const { node, element, array } = entry;
  if (element !== node && array.children?.length !== 1) return removeChild(text, array, node);
  const mayGo = (container: Node, only: Node, path: JsonPath) =>
    container.children?.length === 1 &&
    !hasCommentsAround(text, container.parent ?? container, only) &&
    isMade(request.made, path);
  if (!mayGo(entries, element, [...mapPath, entry.event])) return removeChild(text, entries, element);
  const event = entries.parent ?? entries;
  if (map === root || !mayGo(map, event, mapPath)) return removeChild(text, map, event);
  return removePreamble(removeChild(text, root, map.parent ?? map), request);
}

/** Checks if an install created an object or array. Without a record, every one counts as created. */
function isMade(made: readonly JsonPath[] | undefined, path: JsonPath): boolean {
  return made === undefined || made.some((known) => JSON.stringify(known) === JSON.stringify(path));
}

/** Removes the preamble that an install wrote, unless the file has other members by now. */
function removePreamble(text: string, { path, made = [] }: Pick<EditRequest, "path" | "made">): string {
  const { root } = parseDocument(path, text);
  const all = listMembers(root);
  if (!all.every(({ name, value }) => isScalar(value) && isMade(made, [name]))) return text;
  const last = all.at(-1);
  return last ? removePreamble(removeChild(text, root, last.property), { path, made }) : text;
}

function hasCommentsAround(text: string, container: Node, except: Node): boolean {
  return (
    hasComments(text, container.offset, except.offset) ||
    hasComments(text, except.offset + except.length, container.offset + container.length)
  );
}

/**
 * Verifies that an edit changed only beckon's parts: its entries, their preamble, and objects and arrays that hold
 * nothing else. Without these parts, both files must have the same members, values and comments in the same order and
 * spelling.
 * @throws {SettingsError} `settings.verify`
 */
export function verifyEdit(
  before: HookTree,
  after: HookTree,
  beckonCommands: BeckonCommands,
): Pick<Edited, "created" | "empty"> {
  const preamble = Object.keys(buildPreamble(after));
  const namesBefore = new Set(listMembers(before.root).map(({ name }) => name));
  const namesAfter = new Set(listMembers(after.root).map(({ name }) => name));
  const transient = (tree: HookTree, otherNames: ReadonlySet<string>) =>
    listMembers(tree.root)
      .filter(({ name, value }) => preamble.includes(name) && isScalar(value) && !otherNames.has(name))
      .map(({ property }) => property);
  const othersBefore = othersIn(before, transient(before, namesAfter), beckonCommands);
  const othersAfter = othersIn(after, transient(after, namesBefore), beckonCommands);
  if (othersBefore !== othersAfter) throw unverified(after.path, "the edit would touch more than beckon's entries");
  const newMembers = preamble.filter((name) => namesAfter.has(name) && !namesBefore.has(name)).map((name) => [name]);
  const newMap = after.map && !before.map ? [after.mapPath] : [];
  const newEvents = [...after.events.keys()].filter((event) => !before.events.has(event));
  const created = [...newMembers, ...newMap, ...newEvents.map((event) => [...after.mapPath, event])];
  return { created, empty: after.root.children?.length === 0 && !hasComments(after.text) };
}

/** Collects the text of a file without beckon's parts, transient nodes, layout and commas. */
function othersIn(tree: HookTree, transient: readonly Node[], beckonCommands: BeckonCommands): string {
  const { ours, emptied } = beckonNodes(tree, beckonCommands);
  const isOurs = createInsideCheck(ours);
  const isEmptied = createInsideCheck([...ours, ...emptied, ...transient]);
  const kept: string[] = [];
  for (const { char, start, end } of scanTokens(tree.text)) {
    const skipped = char === "/" ? isOurs(start) : char === "," || isEmptied(start);
    if (!skipped) kept.push(tree.text.slice(start, end));
  }
  return kept.join("\n");
}

/** Finds beckon's entries, and the objects and arrays that hold nothing but these entries. */
function beckonNodes(tree: HookTree, beckonCommands: BeckonCommands): { ours: Node[]; emptied: Node[] } {
  const entries = tree.entries.filter(({ command }) => isBeckonCommand(beckonCommands, command));
  const gone = new Set(entries.map(({ node }) => node));
  const isEmpty = (node: Node) => (node.children ?? []).every((child) => gone.has(child));
  for (const { array, element } of tree.entries) if (isEmpty(array)) gone.add(element);
  const ours = [...gone];
  for (const array of tree.events.values()) if (isEmpty(array)) gone.add(array.parent ?? array);
  const { map, root } = tree;
  if (map && map !== root && isEmpty(map)) gone.add(map.parent ?? map);
  return { ours, emptied: [...gone].slice(ours.length) };
}

/** Creates a check for offsets inside one of the nodes. Offsets must be passed in ascending order. */
function createInsideCheck(nodes: readonly Node[]): (offset: number) => boolean {
  const ordered = nodes.toSorted((a, b) => a.offset - b.offset);
  let next = 0;
  let insideUpTo = 0;
  return (offset) => {
    for (let node = ordered[next]; node && node.offset <= offset; node = ordered[next]) {
      insideUpTo = Math.max(insideUpTo, node.offset + node.length);
      next += 1;
    }
    return offset < insideUpTo;
  };
}

/** Hook entry in the tree, with the array and the group that contain the entry. */
interface HookEntry extends FoundEntry {
  readonly node: Node;
  /** Array that contains the entry. */
  readonly array: Node;
  /** Element of the event's array: the entry's group, or the entry in a flat file. */
  readonly element: Node;
}

/** JSON settings file: event → groups → hooks, or event → hooks. */
interface HookTree extends SettingsDocument, Pick<SettingsSource, "shape"> {
  /** Path of the event map; empty for the root. */
  readonly mapPath: JsonPath;
  readonly map?: Node;
  /** Arrays by the agent's own event names. */
  readonly events: ReadonlyMap<string, Node>;
  readonly entries: readonly HookEntry[];
}

/**
 * Reads the hooks of a JSON settings file and checks the shape of the path to each entry.
 * @throws {SettingsError} `settings.json`, `settings.depth`; `settings.shape` with the exact path
 */
export function readHooks({ path, text, shape }: SettingsSource): HookTree {
  const document = parseDocument(path, text);
  const isBare = shape === "bare";
  const member = shape === "named" ? "beckon" : "hooks";
  const mapPath = isBare ? [] : [member];
  const map = isBare ? document.root : findMember(document, document.root, member, []);
  if (map) expectType(document, map, "object", mapPath);
  const wrapper = map === document.root ? findMember(document, map, "hooks", []) : undefined;
  if (wrapper?.type === "object") {
    throw createShapeError(
      document,
      ["hooks"],
      wrapper,
      "must not exist, because this file has its events at the top level",
    );
  }
  const events = new Map<string, Node>();
  for (const { name, value, property } of map ? listMembers(map) : []) {
    // `$schema` and `description` may be among the events; in these shapes every event's name starts with a capital.
    if (shape !== "flat" && !/^[A-Z]/.test(name)) continue;
    if (events.has(name)) throw createShapeError(document, [...mapPath, name], property, "occurs twice");
    expectType(document, value, "array", [...mapPath, name]);
    events.set(name, value);
  }
  const entriesIn = hasGroups(shape) ? groupedEntries : flatEntries;
  const entries = [...events].flatMap(([event, list]) => entriesIn(document, event, list, [...mapPath, event]));
  return omitUndefined<HookTree>({ ...document, shape, mapPath, map, events, entries });
}

/** True if the entries of an event are in groups, each with a matcher. */
function hasGroups(shape: SettingsSource["shape"]): boolean {
  return shape !== "flat" && shape !== "named";
}

function flatEntries(document: SettingsDocument, event: string, array: Node, at: JsonPath): HookEntry[] {
  return (array.children ?? []).flatMap((node, index) => {
    expectType(document, node, "object", [...at, index]);
    return entryAt(document, { event, node, array, element: node }, [...at, index]);
  });
}

function groupedEntries(document: SettingsDocument, event: string, groups: Node, at: JsonPath): HookEntry[] {
  return (groups.children ?? []).flatMap((element, index) => {
    const groupAt = [...at, index];
    expectType(document, element, "object", groupAt);
    const array = findMember(document, element, "hooks", groupAt);
    if (!array) throw createShapeError(document, groupAt, element, "has no `hooks`");
    expectType(document, array, "array", [...groupAt, "hooks"]);
    const matcher = asText(findMember(document, element, "matcher", groupAt)?.value);
    return (array.children ?? []).flatMap((node, position) =>
      entryAt(document, { event, node, array, element, matcher }, [...groupAt, "hooks", position]),
    );
  });
}

/**
 * Returns a list with the hook entry at a node. The list is empty for a hook without a command, such as a prompt or a
 * URL.
 */
function entryAt(
  document: SettingsDocument,
  found: Pick<HookEntry, "event" | "node" | "array" | "element"> & { readonly matcher?: string | undefined },
  at: JsonPath,
): HookEntry[] {
  const { node } = found;
  if (node.type !== "object") return [];
  const member = (name: string) => findMember(document, node, name, at);
  const type = member("type");
  const command = commandMembers.map(member).find((each) => typeof each?.value === "string");
  if (!command || (type && type.value !== "command")) return [];
  const timeout = timeoutMembers.map(member).find((each) => each !== undefined);
  const entry = {
    ...found,
    command: String(command.value),
    commandAt: toRange(command),
    timeout: typeof timeout?.value === "number" ? timeout.value : undefined,
    timeoutAt: timeout && toRange(timeout),
  };
  return [omitUndefined<HookEntry>(entry)];
}

function toRange({ offset, length }: Node): Range {
  return { start: offset, end: offset + length };
}
