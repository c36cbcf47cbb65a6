import type { Node } from "jsonc-parser";
import { SettingsError } from "../core/errors.ts";
import { addChild, removeChild, replaceNode } from "./edit-text.ts";
import type { Edited, EditRequest, InstallEdit, ListedEntry, SettingsEditor, WantedEntry } from "./editor.ts";
import { type GroupEntry, type GroupTree, readGroups } from "./group-tree.ts";
import { layoutOf } from "./layout.ts";
import { isOwn, type OwnCommands } from "./own.ts";
import type { JsonPath } from "./path.ts";
import { tokensOf } from "./tokens.ts";
import { verifyForeign } from "./verify.ts";

/** Settings files of Claude's family: `{ "Stop": [{ "hooks": [{ "type": "command", … }] }] }`, bare or under `hooks`. */
export const groupsEditor: SettingsEditor = { install, remove, list };

function list(request: Pick<EditRequest, "file" | "text" | "shape">): ListedEntry[] {
  return readGroups(request).entries.map(({ event, command, timeout }) => ({
    event,
    command,
    ...(typeof timeout?.value === "number" ? { timeout: timeout.value } : {}),
  }));
}

function remove(request: EditRequest): Edited {
  const text = removeWhere(request, request.text, (entry) => isOwn(request.own, entry.command));
  return proved(request, request.own, text);
}

function install(request: InstallEdit): Edited {
  const commands = [...request.wanted.values()].map(({ command }) => command);
  const own = { ...request.own, exact: new Set([...request.own.exact, ...commands]) };
  const withoutSurplus = removeWhere(request, request.text, (entry, tree) => isSurplus(request, own, entry, tree));
  let text = withoutSurplus;
  for (const [event, entry] of request.wanted) text = bringTo(request, own, text, event, entry);
  const edited = proved(request, own, text);
  const tree = readGroups({ ...request, text });
  for (const [event, { command }] of request.wanted) {
    const ours = tree.entries.filter((entry) => entry.event === event && isOwn(own, entry.command));
    if (ours.length !== 1 || ours[0]?.command !== command) throw notProved(request.file, event);
  }
  return edited;
}

/** A second entry of ours for the same event, or one of an event that an earlier install chose and this one does not. */
function isSurplus(request: InstallEdit, own: OwnCommands, entry: GroupEntry, tree: GroupTree): boolean {
  if (!isOwn(own, entry.command)) return false;
  const wanted = request.wanted.get(entry.event);
  if (!wanted) return request.previous[entry.event] !== undefined;
  const ours = tree.entries.filter((other) => other.event === entry.event && isOwn(own, other.command));
  return entry !== (ours.find((other) => other.command === wanted.command) ?? ours[0]);
}

/** Removes one entry at a time and reads anew: offsets never go stale. */
function removeWhere(
  request: EditRequest,
  before: string,
  isUnwanted: (entry: GroupEntry, tree: GroupTree) => boolean,
): string {
  for (let text = before; ; ) {
    const tree = readGroups({ ...request, text });
    const entry = tree.entries.findLast((candidate) => isUnwanted(candidate, tree));
    if (!entry) return text;
    text = removeEntry(request, tree, entry);
  }
}

/** Removes an entry together with the containers that hold nothing else and may go. */
function removeEntry(request: EditRequest, tree: GroupTree, entry: GroupEntry): string {
  const { text, root, map, mapPath } = tree;
  const groups = tree.events.get(entry.event);
  if (!groups || !map) return text;
  if (entry.hooks.children?.length !== 1) return removeChild(text, entry.hooks, entry.node);
  const mayGo = (container: Node, only: Node, path: JsonPath) =>
    container.children?.length === 1 &&
    !hasComments(text, container.parent ?? container, only) &&
    request.droppable(path);
  if (!mayGo(groups, entry.group, [...mapPath, entry.event])) return removeChild(text, groups, entry.group);
  const event = groups.parent ?? groups;
  if (map === root || !mayGo(map, event, mapPath)) return removeChild(text, map, event);
  return removeChild(text, root, map.parent ?? map);
}

function hasComments(text: string, container: Node, except: Node): boolean {
  const around = [
    ...tokensOf(text, container.offset, except.offset),
    ...tokensOf(text, except.offset + except.length, container.offset + container.length),
  ];
  return around.some((token) => token.char === "/");
}

/** The text with exactly the wanted entry for one event; at most one of ours is there before. */
function bringTo(request: InstallEdit, own: OwnCommands, text: string, event: string, wanted: WantedEntry): string {
  const tree = readGroups({ ...request, text });
  const ours = tree.entries.find((entry) => entry.event === event && isOwn(own, entry.command));
  return ours ? update(request, tree, ours, wanted) : add(tree, event, wanted);
}

function update(request: InstallEdit, tree: GroupTree, ours: GroupEntry, wanted: WantedEntry): string {
  const { timeout, commandNode } = ours;
  const isOld = timeout !== undefined && timeout.value === request.previous[ours.event]?.timeout;
  const isShort = typeof timeout?.value === "number" && timeout.value < wanted.leastTimeout;
  const replacements = [
    ...(timeout && timeout.value !== wanted.timeout && (isOld || isShort) ? [[timeout, wanted.timeout] as const] : []),
    ...(ours.command !== wanted.command ? [[commandNode, wanted.command] as const] : []),
  ];
  const fromTheEnd = replacements.toSorted(([a], [b]) => b.offset - a.offset);
  return fromTheEnd.reduce((text, [node, value]) => replaceNode(text, node, JSON.stringify(value)), tree.text);
}

function add(tree: GroupTree, event: string, { command, timeout }: WantedEntry): string {
  const { text, root, map, mapPath } = tree;
  const layout = layoutOf(text, root);
  const group = { hooks: [{ type: "command", command, timeout }] };
  const groups = tree.events.get(event);
  if (groups) return addChild(text, groups, { value: group }, layout);
  if (map) return addChild(text, map, { name: event, value: [group] }, layout);
  return addChild(text, root, { name: String(mapPath[0]), value: { [event]: [group] } }, layout);
}

function proved(request: EditRequest, own: OwnCommands, text: string): Edited {
  const before = readGroups(request);
  const after = readGroups({ ...request, text });
  verifyForeign(before, after, own);
  const newEvents = [...after.events.keys()].filter((event) => !before.events.has(event));
  const created = newEvents.map((event) => [...after.mapPath, event]);
  const isEmpty = after.root.children?.length === 0 && !hasComments(text, after.root, { ...after.root, length: 0 });
  return { text, created: after.map && !before.map ? [after.mapPath, ...created] : created, empty: isEmpty };
}

function notProved(file: string, event: string): SettingsError {
  return new SettingsError(
    "settings.verify",
    file,
    `${file}: the edit would not leave exactly one entry for ${event}`,
    {
      hint: "Nothing was changed. Please report this with the file's layout, and add the entries by hand.",
    },
  );
}
