import { isDeepStrictEqual } from "node:util";
import { parse, TomlError, type TomlTable } from "smol-toml";
import { type AST, getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import { SettingsError } from "../../../core/errors.ts";
import { isObject } from "../../../core/json-value.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { invalid, type ListedEntry, type Range, type SettingsSource, unverified, wrongShape } from "../editor.ts";
import type { FoundEntry } from "../hook-entries.ts";

/** Hook entry with the positions of its editable values. */
export type TableEntry = ListedEntry & HookPosition;

/** TOML settings file with its hooks. */
export interface HookTables {
  readonly path: string;
  readonly text: string;
  readonly data: TomlTable;
  readonly program: AST.TOMLProgram;
  readonly entries: readonly TableEntry[];
  /** Positions of all hooks, including those without an event or a command. */
  readonly positions: readonly HookPosition[];
  /** Offset after the opening bracket of `hooks = [ … ]`; absent for tables. */
  readonly arrayStart?: number;
}

/** Maximum nesting depth, as in JSON. */
const maxDepth = 200;
/** Maximum size of a file to edit, in bytes. For one that is all array, the parser with positions takes three seconds. */
const maxBytes = 1024 * 1024;

/**
 * Reads TOML with its hooks: `[[hooks]]` tables, or tables in an array `hooks = [{ … }]`.
 * @throws {SettingsError} `settings.toml`, `settings.shape`, both with line and column; see `parseProgram`
 */
export function readTables(source: SettingsSource): HookTables {
  const { path, text } = source;
  const data = parseToml(source);
  const program = parseProgram(source);
  const hooks = data["hooks"] ?? [];
  const { first, positions, arrayStart } = hookPositions(text, program);
  const refuse = (name: string, problem: string) => wrongShape(source, name, first, problem);
  if (!Array.isArray(hooks)) throw refuse("hooks", `must be an array of tables, not ${describeType(hooks)}`);
  const entries = hooks.flatMap((hook, index): TableEntry[] => {
    const position = positions[index];
    if (!isTable(hook)) throw refuse(`hooks[${index}]`, `must be a table, not ${describeType(hook)}`);
    if (!position || positions.length !== hooks.length) throw refuse("hooks", "has a form that beckon cannot edit");
    const { event, command, timeout } = hook;
    if (typeof event !== "string" || typeof command !== "string") return [];
    return [omitUndefined({ ...position, event, command, timeout: typeof timeout === "number" ? timeout : undefined })];
  });
  return omitUndefined<HookTables>({ path, text, data, program, entries, positions, arrayStart });
}

type FileText = Pick<SettingsSource, "path" | "text">;

/** Parses a TOML file. Error messages do not quote the file, because it may contain keys. @throws {SettingsError} */
export function parseToml({ path, text }: FileText): TomlTable {
  try {
    return parse(text, { maxDepth, integersAsBigInt: "asNeeded" });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = ""] = error.message.split("\n");
    throw invalid(path, "TOML", error, first.replace(/^Invalid TOML document: /, ""));
  }
}

/**
 * Parses a valid TOML text with positions, which smol-toml does not keep.
 * @throws {SettingsError} `settings.size`; `settings.verify` for a text that overflows the parser's stack, such as one
 * with a string of 200,000 characters
 */
export function parseProgram({ path, text }: FileText): AST.TOMLProgram {
  const hint = "Shorten it, or edit it by hand. Nothing was changed.";
  if (Buffer.byteLength(text) > maxBytes) throw new SettingsError("settings.size", path, "larger than 1 MiB", hint);
  try {
    return parseTOML(text);
  } catch {
    // Its stack, since the file is valid.
    throw unverified(path, "has a form that beckon cannot edit");
  }
}

function isTable(value: unknown): value is TomlTable {
  return isObject(value) && !(value instanceof Date);
}

function describeType(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (value instanceof Date) return "a date";
  return typeof value === "object" ? "a table" : `a ${typeof value}`;
}

/** Position of a hook in a text, and of its editable values. */
type HookPosition = Range &
  Pick<FoundEntry, "commandAt" | "timeoutAt"> & { readonly pairs: readonly AST.TOMLKeyValue[] };

interface HookPositions {
  /** Offset of the first mention of `hooks`. */
  readonly first: number;
  /** Positions in the order of the array. */
  readonly positions: readonly HookPosition[];
  /** Offset just after the opening bracket of `hooks = [`. */
  readonly arrayStart?: number;
}

/** Finds the positions of the hooks in a TOML text. Hooks in a form that beckon cannot edit have no position. */
function hookPositions(text: string, program: AST.TOMLProgram): HookPositions {
  const nodes = program.body[0].body.filter(({ key }) => getStaticTOMLValue(key)[0] === "hooks");
  const first = nodes[0]?.range[0] ?? 0;
  const value = nodes[0]?.type === "TOMLKeyValue" ? nodes[0].value : undefined;
  if (value?.type === "TOMLArray") {
    const positions = value.elements.map((element) => findPosition(element, element.range[1]));
    return { first, positions, arrayStart: value.range[0] + 1 };
  }
  const tables = nodes.filter((node) => node.type === "TOMLTable" && node.key.keys.length === 1);
  // A comment behind the last pair belongs to the table.
  const findEnd = ([, end]: AST.TOMLTable["range"]) =>
    end + (/^[ \t]*#[^\r\n]*/.exec(text.slice(end))?.[0].length ?? 0);
  return { first, positions: tables.map((table) => findPosition(table, findEnd(table.range))) };
}

function findPosition(node: AST.TOMLContentNode | AST.TOMLTable | AST.TOMLKeyValue, end: number): HookPosition {
  const pairs = "body" in node ? node.body : [];
  const at = (name: string) => {
    const pair = findPair(pairs, name);
    return pair && toRange(pair.value);
  };
  return omitUndefined({ ...toRange(node), end, pairs, commandAt: at("command"), timeoutAt: at("timeout") });
}

/** Finds a pair by its key, which may be quoted and have escapes, but no dots. */
export function findPair(pairs: readonly AST.TOMLKeyValue[], name: string): AST.TOMLKeyValue | undefined {
  return pairs.find(({ key }) => isDeepStrictEqual(getStaticTOMLValue(key), [name]));
}

/** Formats a value as TOML. Strings are spelled as in JSON, except DEL. */
export function spell(value: string | number | boolean): string {
  return JSON.stringify(value).replaceAll("\x7f", "\\u007f");
}

export function toRange({ range: [start, end] }: Pick<AST.TOMLNode, "range">): Range {
  return { start, end };
}
