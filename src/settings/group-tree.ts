import type { Node } from "jsonc-parser";
import type { SettingsFile } from "../core/agent.ts";
import { parseDocument, type SettingsDocument } from "./document.ts";
import { type JsonPath, memberOf, membersOf, wrongShape } from "./path.ts";

/** One hook entry in the tree, with everything it stands in. */
export interface GroupEntry {
  readonly event: string;
  readonly node: Node;
  readonly group: Node;
  /** The `hooks` array of the group. */
  readonly hooks: Node;
  readonly command: string;
  readonly commandNode: Node;
  readonly timeout?: Node;
}

/** A settings file of Claude's family: event → groups → hooks. */
export interface GroupTree extends SettingsDocument {
  /** Where the event map is; empty for the root. */
  readonly mapPath: JsonPath;
  readonly map?: Node;
  /** The groups array of each event, by the agent's own name. */
  readonly events: ReadonlyMap<string, Node>;
  readonly entries: readonly GroupEntry[];
}

/**
 * Reads such a file and checks every shape on the way to a hook entry.
 * @throws {SettingsError} with the exact path, where one is wrong
 */
export function readGroups(request: { file: string; text: string; shape: SettingsFile["shape"] }): GroupTree {
  const document = parseDocument(request.file, request.text);
  const mapPath = request.shape === "wrapped" ? ["hooks"] : [];
  const map = request.shape === "wrapped" ? memberOf(request.file, document.root, "hooks", []) : document.root;
  if (map && map.type !== "object") throw wrongShape(request.file, mapPath, `must be an object, not ${nameOf(map)}`);
  if (map === document.root && memberOf(request.file, map, "hooks", [])?.type === "object") {
    throw wrongShape(request.file, ["hooks"], "must not be there: this file has the events at its top");
  }
  const events = new Map<string, Node>();
  for (const { name, value } of map ? membersOf(map) : []) {
    // `$schema` and `description` stand beside the events; every event's name starts with a capital letter.
    if (!/^[A-Z]/.test(name)) continue;
    const path = [...mapPath, name];
    if (events.has(name)) throw wrongShape(request.file, path, "is there twice");
    if (value.type !== "array") throw wrongShape(request.file, path, `must be an array, not ${nameOf(value)}`);
    events.set(name, value);
  }
  const found = [...events].flatMap(([event, groups]) => entriesOf(request.file, event, groups, [...mapPath, event]));
  return { ...document, mapPath, ...(map ? { map } : {}), events, entries: found };
}

function entriesOf(file: string, event: string, groups: Node, path: JsonPath): GroupEntry[] {
  return (groups.children ?? []).flatMap((group, index) => {
    const place = [...path, index];
    if (group.type !== "object") throw wrongShape(file, place, `must be an object, not ${nameOf(group)}`);
    const hooks = memberOf(file, group, "hooks", place);
    if (!hooks) throw wrongShape(file, place, "has no `hooks`");
    if (hooks.type !== "array") throw wrongShape(file, [...place, "hooks"], `must be an array, not ${nameOf(hooks)}`);
    return (hooks.children ?? []).flatMap((node, position) => {
      const entry = entryOf(file, node, [...place, "hooks", position]);
      return entry ? [{ event, node, group, hooks, ...entry }] : [];
    });
  });
}

/** What is no command (a prompt, a URL) can be nobody's but somebody else's. */
function entryOf(file: string, node: Node, path: JsonPath) {
  if (node.type !== "object" || memberOf(file, node, "type", path)?.value !== "command") return undefined;
  const commandNode = memberOf(file, node, "command", path);
  if (typeof commandNode?.value !== "string") return undefined;
  const timeout = memberOf(file, node, "timeout", path);
  return { command: commandNode.value, commandNode, ...(timeout ? { timeout } : {}) };
}

function nameOf(node: Node): string {
  return node.type === "null" ? "null" : `${/^[aeiou]/.test(node.type) ? "an" : "a"} ${node.type}`;
}
