import { getNodeValue, type Node } from "jsonc-parser";
import { type JsoncProblem, parseJsonc } from "../text/jsonc.ts";
import type { Finding } from "./config.ts";

/** Deepest nesting of a configuration that is read; real ones have five or six levels. */
const maxDepth = 100;

export interface ConfigText {
  /** As far as the text could be read; undefined if not at all. */
  readonly value: unknown;
  readonly tree: Node | undefined;
  /** The first thing that is wrong with the text, if any. */
  readonly finding?: Finding;
}

/** Reads the text of a configuration: JSON with comments and trailing commas. */
export function readJsonc(text: string): ConfigText {
  const { tree, problem } = parseJsonc(text, maxDepth);
  return { value: tree && getNodeValue(tree), tree, ...(problem && { finding: findingOf(problem) }) };
}

function findingOf({ type, words, line, column }: JsoncProblem): Finding {
  const message = type === "depth" ? "nested too deeply" : `not valid JSON: ${words}`;
  const hint = "Correct it there: `beckon config edit`. Until then the rest of the file may not be read.";
  return { level: "error", path: "", line, column, message, hint };
}
