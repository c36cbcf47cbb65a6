import { parse, TomlError, type TomlTable } from "smol-toml";
import { isObject } from "../../../core/json-value.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { invalid, type ListedEntry, type Range, type SettingsSource, wrongShape } from "../editor.ts";
import type { FoundEntry } from "../hook-entries.ts";
import { depthChange, isLineEnd, readStatements, type TomlStatement, type TomlToken, toRange } from "./statements.ts";

/** Hook entry with the positions of its editable values. */
export type TableEntry = ListedEntry & HookPosition;

/** TOML settings file with its hooks. */
export interface HookTables {
  readonly path: string;
  readonly text: string;
  readonly data: TomlTable;
  readonly entries: readonly TableEntry[];
  /** Positions of all hooks, including those without an event or a command. */
  readonly positions: readonly HookPosition[];
  /** Offset after the opening bracket of `hooks = [ … ]`; absent for tables. */
  readonly arrayStart?: number;
}

/** Maximum nesting depth, as in JSON. */
const maxDepth = 200;

/**
 * Reads TOML with its hooks: `[[hooks]]` tables, or tables in an array `hooks = [{ … }]`.
 * @throws {SettingsError} `settings.toml`, `settings.shape`, both with line and column
 */
export function readTables(source: SettingsSource): HookTables {
  const { path, text } = source;
  const data = parseToml(source);
  const hooks = data["hooks"];
  if (hooks === undefined) return { path, text, data, entries: [], positions: [] };
  const { first, positions, arrayStart } = hookPositions(text, [...readStatements(text)]);
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
  return omitUndefined<HookTables>({ path, text, data, entries, positions, arrayStart });
}

/** Parses a TOML file. Error messages do not quote the file, because it may contain keys. @throws {SettingsError} */
export function parseToml({ path, text }: SettingsSource): TomlTable {
  try {
    return parse(text, { maxDepth, integersAsBigInt: "asNeeded" });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = ""] = error.message.split("\n");
    throw invalid(path, "TOML", error, first.replace(/^Invalid TOML document: /, ""));
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
type HookPosition = Range & Pick<FoundEntry, "commandAt" | "timeoutAt">;

interface HookPositions {
  /** Offset of the first mention of `hooks`. */
  readonly first: number;
  /** Positions in the order of the array. */
  readonly positions: readonly HookPosition[];
  /** Offset just after the opening bracket of `hooks = [`. */
  readonly arrayStart?: number;
}

/** Finds the positions of the hooks in a TOML text. Hooks in a form that beckon cannot edit have no position. */
function hookPositions(text: string, statements: readonly TomlStatement[]): HookPositions {
  const firstHeader = statements.findIndex(({ kind }) => kind === "header");
  const atRoot = statements.slice(0, firstHeader === -1 ? undefined : firstHeader);
  const pair = atRoot.find((each) => each.kind === "pair" && parseKey(text, each.tokens)[0] === "hooks");
  if (pair) return { first: pair.start, ...positionsInArray(text, pair.tokens) };
  const headers = statements.flatMap((statement, index) => {
    if (statement.kind !== "header") return [];
    const { path, isElement } = parseHeader(text, statement);
    return path[0] === "hooks" ? [{ statement, index, isElement: isElement && path.length === 1 }] : [];
  });
  const elements = headers.filter(({ isElement }) => isElement);
  return {
    first: headers[0]?.statement.start ?? 0,
    positions: elements.map(({ statement, index }) => tableAt(text, statement, statements.slice(index + 1))),
  };
}

function tableAt(text: string, header: TomlStatement, following: readonly TomlStatement[]): HookPosition {
  const next = following.findIndex(({ kind }) => kind === "header");
  const pairs = following.slice(0, next === -1 ? undefined : next).filter(({ kind }) => kind === "pair");
  const values = pairs.map(({ tokens }) => tokens);
  return { start: header.start, end: pairs.at(-1)?.end ?? header.end, ...valuesIn(text, values) };
}

function positionsInArray(text: string, pair: readonly TomlToken[]): Pick<HookPositions, "positions" | "arrayStart"> {
  const value = rightSide(pair);
  const open = value[0];
  if (open?.char !== "[" || parseKey(text, pair).length > 1) return { positions: [] };
  const elements = splitParts(value.slice(1, -1));
  const positions = elements.map((tokens) => ({
    ...toRange(tokens),
    ...valuesIn(text, splitParts(tokens.slice(1, -1))),
  }));
  return { positions, arrayStart: open.end };
}

function valuesIn(text: string, pairs: readonly (readonly TomlToken[])[]): Omit<HookPosition, keyof Range> {
  const at = (name: string) => {
    const pair = pairs.find((tokens) => parseKey(text, tokens).join("\0") === name);
    return pair && toRange(rightSide(pair));
  };
  return omitUndefined({ commandAt: at("command"), timeoutAt: at("timeout") });
}

/** Splits the content of an array or an inline table at commas, without comments and line ends. */
function splitParts(inside: readonly TomlToken[]): TomlToken[][] {
  const parts: TomlToken[][] = [[]];
  let depth = 0;
  for (const token of inside) {
    depth += depthChange(token);
    if (depth === 0 && token.char === ",") parts.push([]);
    else if (token.char !== "#" && !isLineEnd(token)) parts.at(-1)?.push(token);
  }
  return parts.filter((part) => part.length > 0);
}

function rightSide(pair: readonly TomlToken[]): readonly TomlToken[] {
  const value = pair.slice(equalSign(pair) + 1);
  return value.at(-1)?.char === "#" ? value.slice(0, -1) : value;
}

/** Parses a pair's dotted key, which may be quoted and have escapes. */
function parseKey(text: string, pair: readonly TomlToken[]): string[] {
  const { start, end } = toRange(pair.slice(0, equalSign(pair)));
  return pathIn(parse(`${text.slice(start, end)} = {}`)).path;
}

function parseHeader(text: string, { start, end }: TomlStatement): { path: string[]; isElement: boolean } {
  const header = text.slice(start, end);
  // A long file has thousands of tables, so parse only headers that may spell `hooks`.
  return /hooks|\\/.test(header) ? pathIn(parse(header)) : { path: [], isElement: false };
}

/** Returns the path into a nested value that has one member on each level. */
function pathIn(value: object): { path: string[]; isElement: boolean } {
  const path: string[] = [];
  for (let at: unknown = value; ; ) {
    if (Array.isArray(at)) return { path, isElement: true };
    const [member] = Object.entries(at as object);
    if (!member) return { path, isElement: false };
    path.push(member[0]);
    at = member[1];
  }
}

function equalSign(pair: readonly TomlToken[]): number {
  return pair.findIndex(({ char }) => char === "=");
}
