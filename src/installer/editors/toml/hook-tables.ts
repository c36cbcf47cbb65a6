import { parse, TomlError, type TomlTable } from "smol-toml";
import { isObject } from "../../../core/json-value.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import type { ListedEntry, SettingsSource } from "../editor.ts";
import { invalid, wrongShape } from "../refusals.ts";
import { type HookPosition, hookPositions } from "./hook-positions.ts";
import { readStatements } from "./statements.ts";

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
