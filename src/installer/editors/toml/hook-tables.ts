import { parse, TomlError, type TomlTable } from "smol-toml";
import { SettingsError } from "../../../core/errors.ts";
import { lineAndColumn } from "../json/document.ts";
import type { ListedEntry, SettingsSource } from "../editor.ts";
import { type Located, locateHooks } from "./hook-positions.ts";
import { statementsOf } from "./statements.ts";

/** One hook with the places of what an edit may change. */
export interface TableEntry extends ListedEntry, Located {}

/** A TOML settings file with its hooks. */
export interface HookTables {
  readonly file: string;
  readonly text: string;
  readonly data: TomlTable;
  readonly entries: readonly TableEntry[];
  /** Every hook, also those that are no entries of the form we know. */
  readonly places: readonly Located[];
  /** Behind the opening bracket, where the hooks are written `hooks = [ … ]`. */
  readonly arrayStart?: number;
}

/** Deepest nesting that is read, as in JSON. */
const maxDepth = 200;

/**
 * Reads TOML with its hooks: `[[hooks]]` tables, or tables in an array `hooks = [{ … }]`.
 * @throws {SettingsError} `settings.toml`, `settings.shape`, both with line and column
 */
export function readTables({ file, text }: SettingsSource): HookTables {
  const data = parseToml(file, text);
  const hooks = data["hooks"];
  if (hooks === undefined) return { file, text, data, entries: [], places: [] };
  const statements = [...statementsOf(text)];
  const { first, places, arrayStart } = locateHooks(text, statements);
  const refuse = (path: string, problem: string) => {
    const { line, column } = lineAndColumn(text, first);
    const words = `${file}: \`${path}\` at line ${line}, column ${column} ${problem}`;
    return new SettingsError("settings.shape", file, words, {
      hint: "Correct it by hand, then run this again. Nothing was changed.",
    });
  };
  if (!Array.isArray(hooks)) throw refuse("hooks", `must be an array of tables, not ${nameOf(hooks)}`);
  const entries = hooks.flatMap((hook, index): TableEntry[] => {
    const place = places[index];
    if (!isTable(hook)) throw refuse(`hooks[${index}]`, `must be a table, not ${nameOf(hook)}`);
    if (!place || places.length !== hooks.length) throw refuse("hooks", "is written in a way that beckon cannot edit");
    const { event, command, timeout } = hook;
    if (typeof event !== "string" || typeof command !== "string") return [];
    return [{ ...place, event, command, ...(typeof timeout === "number" ? { timeout } : {}) }];
  });
  return { file, text, data, entries, places, ...(arrayStart === undefined ? {} : { arrayStart }) };
}

/** The parsed file. What went wrong is told without the lines around it: they may hold keys. @throws {SettingsError} */
export function parseToml(file: string, text: string): TomlTable {
  try {
    return parse(text, { maxDepth, integersAsBigInt: "asNeeded" });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = ""] = error.message.split("\n");
    const words = first.replace(/^Invalid TOML document: /, "");
    throw new SettingsError(
      "settings.toml",
      file,
      `${file}: not valid TOML at line ${error.line}, column ${error.column}: ${words}`,
      { hint: "Correct it by hand, then run this again. Nothing was changed." },
    );
  }
}

function isTable(value: unknown): value is TomlTable {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function nameOf(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (value instanceof Date) return "a date";
  return typeof value === "object" ? "a table" : `a ${typeof value}`;
}
