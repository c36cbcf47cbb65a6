import type { Node } from "jsonc-parser";
import { nameOf, parseDocument, type SettingsDocument } from "./document.ts";
import type { SettingsSource } from "../editor.ts";
import { commandMembers, timeoutMembers } from "../../../settings/entry-form.ts";
import { type JsonPath, memberOf, membersOf, wrongShape } from "../../../settings/path.ts";

/** One hook entry in the tree, with everything it stands in. */
export interface HookEntry {
  readonly event: string;
  readonly node: Node;
  /** The array it stands in. */
  readonly array: Node;
  /** What stands for it in the event's own array: its group, or itself in a flat file. */
  readonly element: Node;
  readonly command: string;
  readonly commandNode: Node;
  readonly timeout?: number;
  readonly timeoutNode?: Node;
}

/** A JSON settings file: event → groups → hooks, or event → hooks. */
export interface HookTree extends SettingsDocument {
  /** Where the event map is; empty for the root. */
  readonly mapPath: JsonPath;
  readonly map?: Node;
  /** The array of each event, by the agent's own name. */
  readonly events: ReadonlyMap<string, Node>;
  readonly entries: readonly HookEntry[];
}

/**
 * Reads such a file and checks every shape on the way to a hook entry.
 * @throws {SettingsError} with the exact path, where one is wrong
 */
export function readHooks({ file, text, shape }: SettingsSource): HookTree {
  const document = parseDocument(file, text);
  const isBare = shape === "bare";
  const mapPath = isBare ? [] : ["hooks"];
  const map = isBare ? document.root : memberOf(document, document.root, "hooks", []);
  if (map && map.type !== "object") throw wrongShape(document, mapPath, map, `must be an object, not ${nameOf(map)}`);
  const wrapper = map === document.root ? memberOf(document, map, "hooks", []) : undefined;
  if (wrapper?.type === "object") {
    throw wrongShape(document, ["hooks"], wrapper, "must not be there: this file has the events at its top");
  }
  const events = new Map<string, Node>();
  for (const { name, value, property } of map ? membersOf(map) : []) {
    // `$schema` and `description` stand beside the events; where they may, every event's name starts with a capital letter.
    if (shape !== "flat" && !/^[A-Z]/.test(name)) continue;
    const path = [...mapPath, name];
    if (events.has(name)) throw wrongShape(document, path, property, "is there twice");
    if (value.type !== "array") throw wrongShape(document, path, value, `must be an array, not ${nameOf(value)}`);
    events.set(name, value);
  }
  const entriesIn = shape === "flat" ? flatEntries : groupedEntries;
  const entries = [...events].flatMap(([event, array]) => entriesIn(document, event, array, [...mapPath, event]));
  return { ...document, mapPath, ...(map ? { map } : {}), events, entries };
}

function flatEntries(document: SettingsDocument, event: string, array: Node, path: JsonPath): HookEntry[] {
  return (array.children ?? []).flatMap((node, index) => {
    if (node.type !== "object")
      throw wrongShape(document, [...path, index], node, `must be an object, not ${nameOf(node)}`);
    return entryAt(document, node, [...path, index]).map((entry) => ({ event, node, array, element: node, ...entry }));
  });
}

function groupedEntries(document: SettingsDocument, event: string, groups: Node, path: JsonPath): HookEntry[] {
  return (groups.children ?? []).flatMap((element, index) => {
    const place = [...path, index];
    if (element.type !== "object")
      throw wrongShape(document, place, element, `must be an object, not ${nameOf(element)}`);
    const array = memberOf(document, element, "hooks", place);
    if (!array) throw wrongShape(document, place, element, "has no `hooks`");
    if (array.type !== "array")
      throw wrongShape(document, [...place, "hooks"], array, `must be an array, not ${nameOf(array)}`);
    return (array.children ?? []).flatMap((node, position) =>
      entryAt(document, node, [...place, "hooks", position]).map((entry) => ({
        event,
        node,
        array,
        element,
        ...entry,
      })),
    );
  });
}

/** What is no command (a prompt, a URL) can be nobody's but somebody else's. */
function entryAt(document: SettingsDocument, node: Node, path: JsonPath) {
  if (node.type !== "object") return [];
  const member = (name: string) => memberOf(document, node, name, path);
  const type = member("type");
  const commandNode = commandMembers.map(member).find((each) => typeof each?.value === "string");
  if (!commandNode || (type && type.value !== "command")) return [];
  const timeoutNode = timeoutMembers.map(member).find((each) => each !== undefined);
  const timeout: unknown = timeoutNode?.value;
  return [
    {
      command: String(commandNode.value),
      commandNode,
      ...(timeoutNode ? { timeoutNode } : {}),
      ...(typeof timeout === "number" ? { timeout } : {}),
    },
  ];
}
