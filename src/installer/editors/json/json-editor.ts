import type { Node } from "jsonc-parser";
import { parseDocument, traitsOf } from "./document.ts";
import { editorOf } from "../../../settings/edit-entries.ts";
import { addChild, removeChild, replaceNode } from "./edit-text.ts";
import type { Edited, EditRequest, InstallEdit, SettingsSource, WantedEntry } from "../editor.ts";
import { entryOf } from "../../../settings/entry-form.ts";
import { type HookEntry, type HookTree, readHooks } from "./hook-tree.ts";
import { layoutOf } from "./layout.ts";
import type { OwnCommands } from "../../beckon-commands.ts";
import { type JsonPath, membersOf } from "../../../settings/path.ts";
import { tokensOf } from "../../../settings/tokens.ts";
import { verifyForeign } from "./verify-edit.ts";

/** JSON settings files, with comments or without: Claude's groups, bare or under `hooks`, and flat lists of entries. */
export const jsonEditor = editorOf<HookEntry, HookTree>({
  blank: "{}\n",
  read: readHooks,
  members,
  traits: traitsOf,
  add,
  update,
  remove,
  prove,
});

function members({ file, text }: SettingsSource): Record<string, unknown> {
  return Object.fromEntries(membersOf(parseDocument(file, text).root).map(({ name, value }) => [name, value.value]));
}

function add(tree: HookTree, event: string, wanted: WantedEntry, request: InstallEdit): string {
  const { text, root, map, mapPath } = tree;
  const layout = layoutOf(text, root);
  const value = request.shape === "flat" ? entryOf(wanted) : { hooks: [entryOf(wanted)] };
  const entries = tree.events.get(event);
  if (entries) return addChild(text, entries, { value }, layout);
  if (map && map !== root) return addChild(text, map, { name: event, value: [value] }, layout);
  const there = new Set(membersOf(root).map(({ name }) => name));
  const [missing] = Object.entries(request.preamble).filter(([name]) => !there.has(name));
  if (missing) {
    const begun = addChild(text, root, { name: missing[0], value: missing[1] }, layout);
    return add(readHooks({ ...request, text: begun }), event, wanted, request);
  }
  if (map) return addChild(text, map, { name: event, value: [value] }, layout);
  return addChild(text, root, { name: String(mapPath[0]), value: { [event]: [value] } }, layout);
}

function update(
  { text }: HookTree,
  { commandNode, timeoutNode }: HookEntry,
  change: { readonly command?: string; readonly timeout?: number },
): string {
  const replacements = [
    ...(change.command === undefined ? [] : [[commandNode, change.command] as const]),
    ...(change.timeout === undefined || !timeoutNode ? [] : [[timeoutNode, change.timeout] as const]),
  ];
  const fromTheEnd = replacements.toSorted(([a], [b]) => b.offset - a.offset);
  return fromTheEnd.reduce((edited, [node, value]) => replaceNode(edited, node, JSON.stringify(value)), text);
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

/** Without a record nobody knows who made a container; one that held nothing but us was most likely made by us. */
function isMade(made: readonly JsonPath[] | undefined, path: JsonPath): boolean {
  return made === undefined || made.some((known) => JSON.stringify(known) === JSON.stringify(path));
}

/** What came with our hooks goes with them, unless somebody has put something of their own beside it. */
function removePreamble(text: string, { file, made = [] }: Pick<EditRequest, "file" | "made">): string {
  const { root } = parseDocument(file, text);
  const all = membersOf(root);
  if (!all.every(({ name, value }) => isPlain(value) && isMade(made, [name]))) return text;
  const last = all.at(-1);
  return last ? removePreamble(removeChild(text, root, last.property), { file, made }) : text;
}

function isPlain({ type }: Node): boolean {
  return type !== "object" && type !== "array";
}

function prove(
  before: HookTree,
  after: HookTree,
  own: OwnCommands,
  preamble: readonly string[],
): Pick<Edited, "created" | "empty"> {
  const namesBefore = new Set(membersOf(before.root).map(({ name }) => name));
  const namesAfter = new Set(membersOf(after.root).map(({ name }) => name));
  const passing = (tree: HookTree, others: ReadonlySet<string>) =>
    membersOf(tree.root)
      .filter(({ name, value }) => preamble.includes(name) && isPlain(value) && !others.has(name))
      .map(({ property }) => property);
  verifyForeign(
    { tree: before, passing: passing(before, namesAfter) },
    { tree: after, passing: passing(after, namesBefore) },
    own,
  );
  const newMembers = preamble.filter((name) => namesAfter.has(name) && !namesBefore.has(name)).map((name) => [name]);
  const newMap = after.map && !before.map ? [after.mapPath] : [];
  const newEvents = [...after.events.keys()].filter((event) => !before.events.has(event));
  const created = [...newMembers, ...newMap, ...newEvents.map((event) => [...after.mapPath, event])];
  const isBare = [...tokensOf(after.text)].every(({ char }) => char !== "/");
  return { created, empty: isBare && after.root.children?.length === 0 };
}

function hasComments(text: string, container: Node, except: Node): boolean {
  const around = [
    ...tokensOf(text, container.offset, except.offset),
    ...tokensOf(text, except.offset + except.length, container.offset + container.length),
  ];
  return around.some((token) => token.char === "/");
}
