import { createScanner, getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type { Finding } from "./config.ts";
import { lineAndColumn } from "./did-you-mean.ts";

/** No configuration is nested deeper; the parser would run out of stack at some thousands. */
const maxDepth = 100;

export interface Jsonc {
  /** As far as the text could be read; undefined if not at all. */
  readonly value: unknown;
  readonly tree: Node | undefined;
  /** The first thing that is wrong with the text, if any. */
  readonly finding?: Finding;
}

/** Reads JSON with comments and trailing commas. */
export function readJsonc(text: string): Jsonc {
  const tooDeepAt = firstBeyond(maxDepth, text);
  if (tooDeepAt !== undefined) {
    return { value: undefined, tree: undefined, finding: findingAt(text, tooDeepAt, "nested too deeply") };
  }
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  return {
    value: tree && getNodeValue(tree),
    tree,
    ...(first && { finding: findingAt(text, first.offset, inWords(first)) }),
  };
}

/** `CloseBraceExpected` → `not valid JSON: close brace expected`. */
function inWords({ error }: ParseError): string {
  return `not valid JSON: ${printParseErrorCode(error)
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase()}`;
}

function findingAt(text: string, offset: number, message: string): Finding {
  const hint = "Nothing of the file from here on is sure to be read.";
  return { level: "error", path: "", ...lineAndColumn(text, offset), message, hint };
}

function firstBeyond(depth: number, text: string): number | undefined {
  const scanner = createScanner(text, true);
  let open = 0;
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const first = text.charAt(scanner.getTokenOffset());
    if (first === "{" || first === "[") open += 1;
    if (first === "}" || first === "]") open -= 1;
    if (open > depth) return scanner.getTokenOffset();
  }
  return undefined;
}
