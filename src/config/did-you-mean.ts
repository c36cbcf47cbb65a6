import { findNodeAtLocation, type Node } from "jsonc-parser";
import leven from "leven";

/** One-based line and column of an offset. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1 };
}

/** Where in the file a path is; of a path that is not there, the nearest part that is. */
export function positionOf(text: string, tree: Node | undefined, path: readonly (string | number)[]) {
  if (!tree) return {};
  for (let length = path.length; length >= 0; length -= 1) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node) return lineAndColumn(text, node.parent?.type === "property" ? node.parent.offset : node.offset);
  }
  return {};
}

/** `notifiers.team.headers["x y"][0]`. */
export function showPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((shown, part) => {
    if (typeof part === "number") return `${shown}[${part}]`;
    if (!/^[\w$-]+$/.test(part)) return `${shown}[${JSON.stringify(part)}]`;
    return shown === "" ? part : `${shown}.${part}`;
  }, "");
}

/** The known word that a wrong one was probably meant to be, if any is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known.map((name) => ({ name, distance: leven(word.toLowerCase(), name.toLowerCase()) }));
  const best = ranked.sort((a, b) => a.distance - b.distance)[0];
  return best && best.distance <= Math.max(2, word.length / 3) ? best.name : undefined;
}

/** A hint that names the nearest known word, and all of them where there are few. */
export function didYouMean(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  if (near) return `Did you mean \`${near}\`?`;
  return known.length === 0 ? "There is none." : `Known: ${known.join(", ")}.`;
}
