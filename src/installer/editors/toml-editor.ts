import { isDeepStrictEqual } from "node:util";
import { parse, TomlError, type TomlTable } from "smol-toml";
import { type AST, getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import { SettingsError } from "../../core/errors.ts";
import { isObject } from "../../core/json-value.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { type JsonPath, lineAndColumn } from "../../text/jsonc.ts";
import { type BeckonCommands, isBeckonCommand } from "../beckon-commands.ts";
import {
  buildEntry,
  type Edited,
  insert,
  invalid,
  type ListedEntry,
  type Range,
  type SettingsSource,
  splice,
  unverified,
  type WantedEntry,
  wrongShape,
} from "./editor.ts";
import { entryEditor, type FoundEntry } from "./hook-entries.ts";

/** Editor of TOML settings files: one `[[hooks]]` table per entry, or an existing `hooks = [{ … }]`. */
export const tomlEditor = entryEditor<HookTables>({
  blank: "",
  read: readTables,
  members: parseToml,
  locate: (source) => {
    const { text, data, positions } = readTables(source);
    return { value: data, locate: (at) => lineAndColumn(text, findMember(positions, at)) };
  },
  traits: () => [],
  add,
  spell,
  remove: (tree, entry) => (tree.arrayStart === undefined ? removeTable : removeElement)(tree, entry),
  verify,
});

/** Finds the offset of a hook's member by its path, such as `hooks[0].timeout`; the hook's offset without such a member. */
function findMember(positions: HookTables["positions"], [, index, member]: JsonPath): number {
  const hook = positions[Number(index)];
  return (hook && findPair(hook.pairs, String(member))?.range[0]) ?? hook?.start ?? 0;
}

function add({ text, positions, arrayStart }: HookTables, event: string, wanted: WantedEntry): string {
  const form = { constants: {}, ...wanted.form };
  const pairs = Object.entries({ event, ...buildEntry({ ...wanted, form }) });
  const lines = pairs.map(([name, value]) => `${name} = ${spell(value)}`);
  if (arrayStart !== undefined) {
    const table = `{ ${lines.join(", ")} }`;
    const last = positions.at(-1);
    return last ? insert(text, last.end, `, ${table}`) : insert(text, arrayStart, table);
  }
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  const table = ["[[hooks]]", ...lines].join(eol);
  if (text === "") return table + eol;
  return /[\r\n]$/.test(text) ? text + eol + table + eol : text + eol + eol + table;
}

/** Removes a table with the blank line above it. */
function removeTable({ text }: HookTables, { start, end }: TableEntry): string {
  let before = text.slice(0, start).replace(/[ \t]+$/, "");
  const after = text.slice(end);
  const lineEnd = /^[ \t]*(?:\r\n|\n)/.exec(after)?.[0];
  const isBlankAbove = /(?:^|\n)\r?\n$/.test(before);
  if (isBlankAbove) before = withoutLineEnd(before);
  if (lineEnd === undefined) before = withoutLineEnd(before);
  return before + after.slice(lineEnd?.length ?? after.length);
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, "");
}

/** Removes an element of `hooks = [ … ]` with its comma. */
function removeElement({ text, program, positions }: HookTables, { start, end }: TableEntry): string {
  const previous = positions.findLast((other) => other.end <= start);
  const next = positions.find((other) => other.start >= end);
  const isOnlyComma = (from: number, to: number) => /^[ \t]*,[ \t]*$/.test(text.slice(from, to));
  if (previous && isOnlyComma(previous.end, start)) return splice(text, { start: previous.end, end });
  if (next && isOnlyComma(end, next.start)) return splice(text, { start, end: next.start });
  // Comments between the elements stay. A comma before may stay too, as TOML allows one after the last element.
  const following = program.tokens.find(({ range }) => range[0] >= end);
  const comma = following?.value === "," ? [toRange(following)] : [];
  return splice(text, { start, end }, ...comma);
}

/**
 * Verifies that values, spelling, comments and order are unchanged apart from beckon's entries.
 * @throws {SettingsError} `settings.verify`
 */
function verify(
  before: HookTables,
  after: HookTables,
  beckonCommands: BeckonCommands,
): Pick<Edited, "created" | "empty"> {
  const isSame =
    isDeepStrictEqual(otherData(before, beckonCommands), otherData(after, beckonCommands)) &&
    otherText(before, beckonCommands) === otherText(after, beckonCommands);
  if (!isSame) throw unverified(after.path, "the edit would touch more than beckon's entries");
  return { created: [], empty: after.text.trim() === "" };
}

/** Returns the parsed file without beckon's entries. */
function otherData({ data }: HookTables, beckonCommands: BeckonCommands): Record<string, unknown> {
  const { hooks = [], ...others } = data;
  const isOurs = (hook: unknown) => isBeckonCommand(beckonCommands, String((hook as { command?: unknown }).command));
  return { ...others, hooks: (hooks as unknown[]).filter((hook) => !isOurs(hook)) };
}

/** Returns the tokens and comments of the file without beckon's entries and commas. */
function otherText({ text, program, entries }: HookTables, beckonCommands: BeckonCommands): string {
  const ours = entries.filter(({ command }) => isBeckonCommand(beckonCommands, command));
  return [...program.tokens, ...program.comments]
    .map(toRange)
    .filter(({ start }) => !ours.some((our) => our.start <= start && start < our.end))
    .sort((a, b) => a.start - b.start)
    .map(({ start, end }) => text.slice(start, end))
    .filter((spelling) => spelling !== ",")
    .join("\n");
}

/** Hook entry with the positions of its editable values. */
type TableEntry = ListedEntry & HookPosition;

/** TOML settings file with its hooks. */
interface HookTables {
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
function readTables(source: SettingsSource): HookTables {
  const { path, text } = source;
  const data = parseToml(source);
  const program = parseProgram(source);
  const hooks = data["hooks"] ?? [];
  const { first, positions, arrayStart } = hookPositions(text, program);
  const refuse = (name: string, problem: string) => wrongShape(source, name, first, problem);
  if (!Array.isArray(hooks)) throw refuse("hooks", `must be an array of tables, not ${describeType(hooks)}`);
  const entries = hooks.flatMap((hook, index): TableEntry[] => {
    const position = positions[index];
    if (!isObject(hook) || hook instanceof Date)
      throw refuse(`hooks[${index}]`, `must be a table, not ${describeType(hook)}`);
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

function describeType(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (value instanceof Date) return "a date";
  return typeof value === "object" ? "a table" : `a ${typeof value}`;
}

/** Position of a hook in a text, and of its editable values. */
type HookPosition = Range &
  Pick<FoundEntry, "commandAt" | "timeoutAt"> & { readonly pairs: readonly AST.TOMLKeyValue[] };

/**
 * Finds the positions of the hooks in a TOML text, in their order, and the offsets of the first mention of `hooks` and
 * just after the bracket of `hooks = [`. Hooks in a form that beckon cannot edit have no position.
 */
function hookPositions(text: string, program: AST.TOMLProgram) {
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
