import type { Node } from "jsonc-parser";
import { notProved } from "../../../settings/edit-entries.ts";
import type { HookTree } from "./hook-tree.ts";
import { isOwn, type OwnCommands } from "../../beckon-commands.ts";
import { tokensOf } from "../../../settings/tokens.ts";

/** A file with what may come or go besides our entries: the top-level members that a new file starts with. */
export interface Side {
  readonly tree: HookTree;
  readonly passing: readonly Node[];
}

/**
 * Proves that an edit touched nothing of anybody else's: both files, parsed and rid of our entries and of the containers
 * that hold nothing else, have the same members, values and comments in the same order and the same spelling.
 * @throws {SettingsError} `settings.verify`
 */
export function verifyForeign(before: Side, after: Side, own: OwnCommands): void {
  if (foreignText(before, own) === foreignText(after, own)) return;
  throw notProved(after.tree.file, "the edit would touch more than beckon's entries");
}

/** Everything in a file that is not ours, without layout and commas. */
function foreignText({ tree, passing }: Side, own: OwnCommands): string {
  const { ours, emptied } = ownNodes(tree, own);
  const isOurs = insideOf(ours);
  const isEmptied = insideOf([...ours, ...emptied, ...passing]);
  const kept: string[] = [];
  for (const { char, start, end } of tokensOf(tree.text)) {
    const skipped = char === "/" ? isOurs(start) : char === "," || isEmptied(start);
    if (!skipped) kept.push(tree.text.slice(start, end));
  }
  return kept.join("\n");
}

/** Our entries and the groups of nothing but ours; and upwards the containers that are empty without them. */
function ownNodes(tree: HookTree, own: OwnCommands): { ours: Node[]; emptied: Node[] } {
  const gone = new Set(tree.entries.filter((entry) => isOwn(own, entry.command)).map((entry) => entry.node));
  const isEmpty = (node: Node) => (node.children ?? []).every((child) => gone.has(child));
  for (const { array, element } of tree.entries) if (isEmpty(array)) gone.add(element);
  const ours = [...gone];
  for (const entries of tree.events.values()) if (isEmpty(entries)) gone.add(entries.parent ?? entries);
  const { map, root } = tree;
  if (map && map !== root && isEmpty(map)) gone.add(map.parent ?? map);
  return { ours, emptied: [...gone].slice(ours.length) };
}

/** Tells whether an offset is inside one of the nodes. Offsets must come in ascending order. */
function insideOf(nodes: readonly Node[]): (offset: number) => boolean {
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
