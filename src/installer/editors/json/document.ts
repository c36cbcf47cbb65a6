import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type { JsonTrait } from "../../../core/agent-settings.ts";
import { SettingsError } from "../../../core/errors.ts";
import { tokensOf } from "../../../settings/tokens.ts";

/** Deepest nesting that is read. Real settings files have five or six levels; a parser recurses. */
const maxDepth = 200;

/** A settings file as text and tree. Every offset in the tree is one in the text. */
export interface SettingsDocument {
  readonly file: string;
  readonly text: string;
  /** Always an object. */
  readonly root: Node;
}

/**
 * Reads JSON with comments and trailing commas.
 * @throws {SettingsError} `settings.json` with line and column, `settings.depth`, `settings.shape`
 */
export function parseDocument(file: string, text: string): SettingsDocument {
  if (last?.text !== text || last.file !== file) last = parseAnew(file, text);
  return last;
}

/** A plan looks at one text several times over, and a file of megabytes takes its time. */
let last: SettingsDocument | undefined;

function parseAnew(file: string, text: string): SettingsDocument {
  refuseDepth(file, text);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) throw broken(file, text, error.offset, printParseErrorCode(error.error));
  if (!root) throw broken(file, text, text.length, "ValueExpected");
  if (root.type !== "object") {
    throw new SettingsError("settings.shape", file, `${file}: the file holds ${nameOf(root)}, not an object`, {
      hint: "Nothing was changed.",
    });
  }
  return { file, text, root };
}

/** What a node is, in words: `an array`. */
export function nameOf({ type }: Node): string {
  return type === "null" ? "null" : `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

function broken(file: string, text: string, offset: number, what: string): SettingsError {
  const { line, column } = lineAndColumn(text, offset);
  const words = what.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
  return new SettingsError(
    "settings.json",
    file,
    `${file}: not valid JSON at line ${line}, column ${column}: ${words}`,
    {
      hint: "Correct it by hand, then run this again. Nothing was changed.",
    },
  );
}

function refuseDepth(file: string, text: string): void {
  let depth = 0;
  for (const { char, start } of tokensOf(text)) {
    if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") depth -= 1;
    if (depth > maxDepth) {
      const { line, column } = lineAndColumn(text, start);
      const words = `${file}: nested more than ${maxDepth} levels deep at line ${line}, column ${column}`;
      throw new SettingsError("settings.depth", file, words, { hint: "Nothing was changed." });
    }
  }
}

/** One-based line and column of an offset. `\n`, `\r\n` and a lone `\r` end a line. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** What a text has that strict JSON has not. The byte-order mark is no part of the text and seen by whoever decodes. */
export function traitsOf(text: string): JsonTrait[] {
  let comments = false;
  let trailingCommas = false;
  let previous = "";
  for (const { char } of tokensOf(text)) {
    if (char === "/") {
      comments = true;
      continue;
    }
    if (previous === "," && (char === "}" || char === "]")) trailingCommas = true;
    previous = char;
  }
  return [...(comments ? (["comments"] as const) : []), ...(trailingCommas ? (["trailing commas"] as const) : [])];
}
