import { getNodeValue, type Node } from "jsonc-parser";
import { type JsoncProblem, parseJsonc } from "../text/jsonc.ts";
import type { Finding } from "./config.ts";

/** Maximum nesting depth of a configuration. Real configurations have five or six levels. */
const maxDepth = 100;

export interface ConfigText {
  /** Value of the readable part of the text; undefined if nothing is readable. */
  readonly value: unknown;
  readonly tree: Node | undefined;
  /** First syntax error, if any. */
  readonly finding?: Finding;
}

/** Parses the text of a configuration: JSON with comments and trailing commas. */
export function readJsonc(text: string): ConfigText {
  const { tree, problem } = parseJsonc(text, maxDepth);
  return { value: tree && getNodeValue(tree), tree, ...(problem && { finding: createFinding(problem) }) };
}

function createFinding({ type, words, line, column }: JsoncProblem): Finding {
  const message = type === "depth" ? "nested too deeply" : `not valid JSON: ${words}`;
  const hint = "To correct it: beckon config edit. The rest of the file may be ignored until then.";
  return { level: "error", path: "", line, column, message, hint };
}
