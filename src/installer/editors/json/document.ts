import type { Node } from "jsonc-parser";
import type { JsonTrait } from "../../../core/agent-settings.ts";
import { SettingsError } from "../../../core/errors.ts";
import { type JsonPath, parseJsonc, showPath, tokensOf } from "../../../text/jsonc.ts";
import type { FoundTrait } from "../editor.ts";
import { invalid, wrongShape } from "../refusals.ts";

/** Deepest nesting of a settings file that is read; real ones have five or six levels. */
const maxDepth = 200;

/** A settings file as text and tree. Every offset in the tree is one in the text. */
export interface SettingsDocument {
  readonly path: string;
  readonly text: string;
  /** Always an object. */
  readonly root: Node;
}

/**
 * Reads JSON with comments and trailing commas.
 * @throws {SettingsError} `settings.json` with line and column, `settings.depth`, `settings.shape`
 */
export function parseDocument(path: string, text: string): SettingsDocument {
  if (last?.text !== text || last.path !== path) last = parseAnew(path, text);
  return last;
}

/** The document that was parsed last: planning reads one text several times, and a file of megabytes takes its time. */
let last: SettingsDocument | undefined;

function parseAnew(path: string, text: string): SettingsDocument {
  const { tree, problem } = parseJsonc(text, maxDepth);
  if (problem) {
    const { type, words, line, column } = problem;
    if (type === "syntax") throw invalid(path, "JSON", problem, words);
    throw new SettingsError("settings.depth", path, `${words} at line ${line}, column ${column}`);
  }
  if (tree?.type === "object") return { path, text, root: tree };
  throw new SettingsError("settings.shape", path, `the file holds ${tree ? nameOf(tree) : "nothing"}, not an object`);
}

/** Verifies the type of a node. `at` is its path. @throws {SettingsError} `settings.shape` */
export function expectType(document: SettingsDocument, node: Node, type: "object" | "array", at: JsonPath): void {
  if (node.type !== type) throw misshapen(document, at, node, `must be an ${type}, not ${nameOf(node)}`);
}

/** The error for a node, with its path and its position. */
export function misshapen(document: SettingsDocument, at: JsonPath, { offset }: Node, problem: string): SettingsError {
  return wrongShape(document, showPath(at), offset, problem);
}

/** The type of a node, with its article: `an array`. */
function nameOf({ type }: Node): string {
  return type === "null" ? "null" : `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

/** Whether a node holds no others. */
export function isScalar({ type }: Node): boolean {
  return type !== "object" && type !== "array";
}

/** Names and values of an object node, in order. */
export function membersOf(node: Node): { name: string; value: Node; property: Node }[] {
  return (node.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? [];
    return key && value ? [{ name: String(key.value), value, property }] : [];
  });
}

/**
 * The value of an object node's member, or undefined.
 * @throws {SettingsError} for a name that is there twice: agents read the last one, editors edit the first
 */
export function memberOf(document: SettingsDocument, node: Node, name: string, at: JsonPath): Node | undefined {
  const found = membersOf(node).filter((member) => member.name === name);
  const [first, second] = found;
  if (second) throw misshapen(document, [...at, name], second.property, `is there ${found.length} times`);
  return first?.value;
}

/**
 * Traits of a text that strict JSON does not allow, each once, with the offset of its first place. A byte-order
 * mark is no part of the text: `decodeSettings` reports that.
 */
export function traitsIn(text: string): FoundTrait[] {
  const found = new Map<JsonTrait, number>();
  let comma: number | undefined;
  for (const { char, start } of tokensOf(text)) {
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
