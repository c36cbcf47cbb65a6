import type { Node } from "jsonc-parser";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import type { JsonPath } from "../../../text/jsonc.ts";
import { commandMembers, type Range, type SettingsSource, timeoutMembers } from "../editor.ts";
import type { FoundEntry } from "../hook-entries.ts";
import {
  createShapeError,
  expectType,
  findMember,
  listMembers,
  parseDocument,
  type SettingsDocument,
} from "./document.ts";

/** Hook entry in the tree, with the array and the group that contain the entry. */
export interface HookEntry extends FoundEntry {
  readonly node: Node;
  /** Array that contains the entry. */
  readonly array: Node;
  /** Element of the event's array: the entry's group, or the entry in a flat file. */
  readonly element: Node;
}

/** JSON settings file: event → groups → hooks, or event → hooks. */
export interface HookTree extends SettingsDocument, Pick<SettingsSource, "shape"> {
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
export function hasGroups(shape: SettingsSource["shape"]): boolean {
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
    return (array.children ?? []).flatMap((node, position) =>
      entryAt(document, { event, node, array, element }, [...groupAt, "hooks", position]),
    );
  });
}

/**
 * Returns a list with the hook entry at a node. The list is empty for a hook without a command, such as a prompt or a
 * URL.
 */
function entryAt(
  document: SettingsDocument,
  found: Pick<HookEntry, "event" | "node" | "array" | "element">,
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
