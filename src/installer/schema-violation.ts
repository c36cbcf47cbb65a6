import type * as z from "zod";
import { describeIssue } from "../core/issue-words.ts";
import { at } from "../core/json-value.ts";
import { type JsonPath, showPath } from "../text/jsonc.ts";
import type { SettingsSource } from "./editors/editor.ts";
import { editors } from "./editors/registry.ts";

/** First violation of an agent's schema in a settings file. */
export interface SchemaViolation {
  /** Name, position and problem, such as `hooks.Stop[0].matcher at line 3, column 5 must be a string`. */
  readonly problem: string;
  /** True if some versions of the agent read the file nevertheless. */
  readonly isTolerated: boolean;
}

type Issue = z.core.$ZodIssue;

/**
 * Finds the first violation that all versions of the agent reject, or else the first violation that only some reject.
 * @throws {SettingsError} if the file cannot be read
 */
export function findViolation(schema: z.ZodType, source: SettingsSource): SchemaViolation | undefined {
  const { value, locate } = editors[source.shape].read(source);
  const issues = schema.safeParse(value, { reportInput: true, error: describeIssue }).error?.issues ?? [];
  const issue = issues.find((found) => !isTolerated(found)) ?? issues[0];
  if (!issue) return undefined;
  const path = pathTo(issue);
  const { line, column } = locate(path);
  const name = path.length === 0 ? "the file" : `\`${showPath(path)}\``;
  return { problem: `${name} at line ${line}, column ${column} ${wordsFor(issue)}`, isTolerated: isTolerated(issue) };
}

function isTolerated(issue: Issue): boolean {
  return issue.code === "custom" && issue.params?.["isTolerated"] === true;
}

/** Returns the path of an unknown member, or of the parent of a missing one. */
function pathTo(issue: Issue): JsonPath {
  const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
  if (issue.code === "unrecognized_keys") return [...path, issue.keys[0] ?? ""];
  return isMissing(issue) ? path.slice(0, -1) : path;
}

function isMissing(issue: Issue): boolean {
  // A union reports its discriminator's path, with the whole object as input.
  if (issue.code === "invalid_union") return at(issue.input, String(issue.path.at(-1))) === undefined;
  return issue.code === "invalid_type" && issue.input === undefined;
}

function wordsFor(issue: Issue): string {
  if (issue.code === "custom") return issue.message;
  if (issue.code === "unrecognized_keys") return "is a setting that the agent does not know";
  if (isMissing(issue)) return `has no \`${String(issue.path.at(-1))}\``;
  return issue.code === "invalid_union" ? "has a value that the agent does not know" : issue.message;
}
