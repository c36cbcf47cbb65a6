import type { Node } from "jsonc-parser";
import { scanTokens } from "../../../text/jsonc.ts";
import { type BeckonCommands, isBeckonCommand } from "../../beckon-commands.ts";
import { buildPreamble, type Edited } from "../editor.ts";
import { unverified } from "../refusals.ts";
import { isScalar, listMembers } from "./document.ts";
import type { HookTree } from "./hook-tree.ts";

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
  const hasNoComment = [...scanTokens(after.text)].every(({ char }) => char !== "/");
  return { created, empty: hasNoComment && after.root.children?.length === 0 };
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
