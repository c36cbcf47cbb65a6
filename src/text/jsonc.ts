import * as parser from "jsonc-parser";

/** Path to a JSON value: member names and array indexes from the root down. */
export type JsonPath = readonly (string | number)[];

/** Position in a text. Lines and columns count from 1; columns are UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * Parses JSON with comments and trailing commas. `maxDepth` limits the parser's recursion. Never throws.
 * @returns the tree of the readable part of the text, undefined if nothing is readable; and the first problem, in words
 * such as `close brace expected`. The type `depth` means that the text is nested too deeply; there is then no tree.
 */
export function parseJsonc(text: string, maxDepth: number) {
  const tooDeepAt = findTooDeep(maxDepth, text);
  if (tooDeepAt !== undefined) {
    const words = `nested more than ${maxDepth} levels deep`;
    return { tree: undefined, problem: { type: "depth" as const, words, ...lineAndColumn(text, tooDeepAt) } };
  }
  const errors: parser.ParseError[] = [];
  const tree = parser.parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (!first) return { tree };
  // The parser names an error as `CloseBraceExpected`.
  const words = parser.printParseErrorCode(first.error).replace(/(?<=[a-z])(?=[A-Z])/g, " ");
  const problem = { type: "syntax" as const, words: words.toLowerCase(), ...lineAndColumn(text, first.offset) };
  return { tree, problem };
}

function findTooDeep(maxDepth: number, text: string): number | undefined {
  let depth = 0;
  for (const { char, start } of scanTokens(text)) {
    if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") depth -= 1;
    if (depth > maxDepth) return start;
  }
  return undefined;
}

/** Token of JSON with comments: a bracket, comma, colon, literal or comment. Offsets are UTF-16 units. */
export interface JsoncToken {
  /** First character of the token; `/` for a comment. */
  readonly char: string;
  readonly start: number;
  readonly end: number;
}

/** Lists the tokens between two offsets, including comments but not white space. Never throws; not recursive. */
export function* scanTokens(text: string, from = 0, to = text.length): Generator<JsoncToken> {
  const scanner = parser.createScanner(text, false);
  scanner.setPosition(from);
  for (;;) {
    scanner.scan();
    const start = scanner.getTokenOffset();
    const end = start + scanner.getTokenLength();
    if (end === start || start >= to) return;
    const char = text.charAt(start);
    if (!/\s/.test(char)) yield { char, start, end };
  }
}

/** Returns the position of an offset. `\n`, `\r\n` and a lone `\r` each end a line. */
export function lineAndColumn(text: string, offset: number): Position {
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/**
 * Finds the position of the value at a path. If there is no such value, finds the nearest part of the path that exists.
 * Empty without a tree.
 */
export function findPosition(text: string, tree: parser.Node | undefined, path: JsonPath): Partial<Position> {
  if (!tree) return {};
  for (let length = path.length; length >= 0; length -= 1) {
    const node = parser.findNodeAtLocation(tree, path.slice(0, length));
    if (node) return lineAndColumn(text, node.parent?.type === "property" ? node.parent.offset : node.offset);
  }
  return {};
}

/** Formats a path as `notifiers.team.headers["x y"][0]`; empty for the root. */
export function showPath(path: JsonPath): string {
  return path.reduce<string>((shown, part) => {
    if (typeof part === "number") return `${shown}[${part}]`;
    if (!/^[\w$-]+$/.test(part)) return `${shown}[${JSON.stringify(part)}]`;
    return shown === "" ? part : `${shown}.${part}`;
  }, "");
}
