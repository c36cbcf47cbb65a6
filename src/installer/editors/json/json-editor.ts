import { getNodeValue, type Node } from "jsonc-parser";
import { findPosition, type JsonPath, scanTokens } from "../../../text/jsonc.ts";
import {
  buildEntry,
  buildPreamble,
  type EditRequest,
  type InstallEdit,
  type SettingsSource,
  type WantedEntry,
} from "../editor.ts";
import { entryEditor } from "../hook-entries.ts";
import { isScalar, listMembers, parseDocument, traitsIn } from "./document.ts";
import { addChild, removeChild } from "./edit-text.ts";
import { type HookEntry, type HookTree, hasGroups, readHooks } from "./hook-tree.ts";
import { detectLayout } from "./layout.ts";
import { verifyEdit } from "./verify-edit.ts";

/**
 * Editor of JSON settings files, with or without comments. Hooks are in groups, as in Claude's settings, or in flat
 * lists.
 */
export const jsonEditor = entryEditor<HookTree>({
  blank: "{}\n",
  read: readHooks,
  members,
  locate: ({ path, text }) => {
    const { root } = parseDocument(path, text);
    return { value: getNodeValue(root), locate: (at) => findPosition(text, root, at) };
  },
  traits: traitsIn,
  add,
  label,
  unlabel,
  spell: JSON.stringify,
  remove,
  verify: verifyEdit,
});

function members({ path, text }: SettingsSource): Record<string, unknown> {
  return Object.fromEntries(listMembers(parseDocument(path, text).root).map(({ name, value }) => [name, value.value]));
}

function add(tree: HookTree, event: string, wanted: WantedEntry, request: InstallEdit): string {
  const { text, root, map, mapPath } = tree;
  const layout = detectLayout(text, root);
  const value = hasGroups(request.shape) ? { hooks: [buildEntry(wanted)] } : buildEntry(wanted);
  const entries = tree.events.get(event);
  if (entries) return addChild(text, entries, { value }, layout);
  if (map && map !== root) return addChild(text, map, { name: event, value: [value] }, layout);
  const there = new Set(listMembers(root).map(({ name }) => name));
  const [missing] = Object.entries(buildPreamble(request)).filter(([name]) => !there.has(name));
  if (missing) {
    const begun = addChild(text, root, { name: missing[0], value: missing[1] }, layout);
    return add(readHooks({ ...request, text: begun }), event, wanted, request);
  }
  if (map) return addChild(text, map, { name: event, value: [value] }, layout);
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
    !hasComments(text, container.parent ?? container, only) &&
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

function hasComments(text: string, container: Node, except: Node): boolean {
  const around = [
    ...scanTokens(text, container.offset, except.offset),
    ...scanTokens(text, except.offset + except.length, container.offset + container.length),
  ];
  return around.some((token) => token.char === "/");
}
