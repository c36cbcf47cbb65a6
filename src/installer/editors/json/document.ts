import { getNodeValue, type Node } from "jsonc-parser";
import type { JsonTrait } from "../../../core/agent-settings.ts";
import { SettingsError } from "../../../core/errors.ts";
import { findPosition, type JsonPath, parseJsonc, scanTokens, showPath } from "../../../text/jsonc.ts";
import { type FoundTrait, invalid, type SettingsSource, wrongShape } from "../editor.ts";

/** Maximum nesting depth of a settings file. Real files have five or six levels. */
const maxDepth = 200;

/** Settings file as text and tree. Offsets in the tree refer to the text. */
export interface SettingsDocument {
  readonly path: string;
  readonly text: string;
  /** Root node, always an object. */
  readonly root: Node;
}

/**
 * Reads JSON with comments and trailing commas.
 * @throws {SettingsError} `settings.json` with line and column, `settings.depth`, `settings.shape`
 */
export function parseDocument(path: string, text: string): SettingsDocument {
  if (last?.text !== text || last.path !== path) last = parseUncached(path, text);
  return last;
}

/** Last parsed document, because planning parses the same text several times. */
let last: SettingsDocument | undefined;

function parseUncached(path: string, text: string): SettingsDocument {
  const { tree, problem } = parseJsonc(text, maxDepth);
  if (problem) {
    const { type, words, line, column } = problem;
    if (type === "syntax") throw invalid(path, "JSON", problem, words);
    throw new SettingsError("settings.depth", path, `${words} at line ${line}, column ${column}`);
  }
  if (tree?.type === "object") return { path, text, root: tree };
  throw new SettingsError(
    "settings.shape",
    path,
    `the file holds ${tree ? describeType(tree) : "nothing"}, not an object`,
  );
}

/** Verifies the type of a node. `at` is its path. @throws {SettingsError} `settings.shape` */
export function expectType(document: SettingsDocument, node: Node, type: "object" | "array", at: JsonPath): void {
  if (node.type !== type) throw createShapeError(document, at, node, `must be an ${type}, not ${describeType(node)}`);
}

/** Creates the error for a node, with its path and position. */
export function createShapeError(
  document: SettingsDocument,
  at: JsonPath,
  { offset }: Node,
  problem: string,
): SettingsError {
  return wrongShape(document, showPath(at), offset, problem);
}

/** Names the type of a node, with its article: `an array`. */
function describeType({ type }: Node): string {
  return type === "null" ? "null" : `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

/** Checks if a node is neither an object nor an array. */
export function isScalar({ type }: Node): boolean {
  return type !== "object" && type !== "array";
}

/** Lists the members of an object node, in order. */
export function listMembers(node: Node): { name: string; value: Node; property: Node }[] {
  return (node.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? [];
    return key && value ? [{ name: String(key.value), value, property }] : [];
  });
}

/**
 * Finds the value of an object node's member.
 * @throws {SettingsError} for a duplicate name: agents read the last member with the name, and editors read the first
 */
export function findMember(document: SettingsDocument, node: Node, name: string, at: JsonPath): Node | undefined {
  const found = listMembers(node).filter((member) => member.name === name);
  const [first, second] = found;
  if (second) throw createShapeError(document, [...at, name], second.property, `occurs ${found.length} times`);
  return first?.value;
}

/** Checks a text, or the part between two offsets, for comments. */
export function hasComments(text: string, from?: number, to?: number): boolean {
  return [...scanTokens(text, from, to)].some(({ char }) => char === "/");
}

/** Parts that all editors of JSON files share. */
export const jsonBasics = {
  blank: "{}\n",
  spell: JSON.stringify as (value: string | number) => string,
  traits: traitsIn,
  members: ({ path, text }: SettingsSource) =>
    Object.fromEntries(listMembers(parseDocument(path, text).root).map(({ name, value }) => [name, value.value])),
  locate: ({ path, text }: SettingsSource) => {
    const { root } = parseDocument(path, text);
    return { value: getNodeValue(root), locate: (at: JsonPath) => findPosition(text, root, at) };
  },
};

/** Finds traits that strict JSON forbids, each at its first offset. `decodeSettings` reports the byte-order mark. */
function traitsIn(text: string): FoundTrait[] {
  const found = new Map<JsonTrait, number>();
  let comma: number | undefined;
  for (const { char, start } of scanTokens(text)) {
    if (char === "/") {
      if (!found.has("comments")) found.set("comments", start);
      continue;
    }
    const isTrailing = comma !== undefined && (char === "}" || char === "]");
    if (isTrailing && !found.has("trailing commas")) found.set("trailing commas", comma ?? 0);
    comma = char === "," ? start : undefined;
  }
  return [...found].map(([trait, offset]) => ({ trait, offset }));
}
