import { clean } from "../../../../core/clean.ts";
import { at, objectOf } from "../../../../core/json-value.ts";
import { jsonLine } from "./json.ts";

/** Where a column's value is in a row: a field, or a field of a field. */
export type Path = readonly [string] | readonly [string, string];

/** A spreadsheet runs what begins so; an apostrophe makes it text. https://owasp.org/www-community/attacks/CSV_Injection */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

/**
 * A line of CSV without its end, quoted as RFC 4180 says. Texts lose control characters but tabs and line feeds, and
 * get an apostrophe where they would run as a formula; numbers stay.
 */
export function csvLine(cells: readonly unknown[]): string {
  return cells.map((cell) => quoted(csvText(cell))).join(",");
}

function csvText(cell: unknown): string {
  if (cell === undefined || cell === null) return "";
  if (typeof cell === "number" || typeof cell === "boolean") return String(cell);
  const text = clean(typeof cell === "string" ? cell : jsonLine(cell));
  return formula.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\n\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The names of columns. */
export function csvHeader(paths: readonly Path[]): string {
  return csvLine(paths.map((path) => path.join(".")));
}

/** A row's values under the columns; what lies deeper than a field of a field is JSON. */
export function csvRow(paths: readonly Path[], row: object): string {
  return csvLine(paths.map((path) => at(row, ...path)));
}

/** Columns for fields of rows that no column has yet, in the order they appear. */
export function furtherPaths(paths: readonly Path[], rows: readonly object[]): Path[] {
  const known = new Set(paths.map((path) => path.join("\0")));
  const flattened = new Set(paths.flatMap(([name, inner]) => (inner === undefined ? [] : [name])));
  const further: Path[] = [];
  for (const path of rows.flatMap((row) => pathsOf(row, flattened))) {
    const key = path.join("\0");
    if (!known.has(key)) further.push(path);
    known.add(key);
  }
  return further;
}

function pathsOf(row: object, flattened: ReadonlySet<string>): Path[] {
  return Object.entries(row).flatMap(([name, value]): Path[] => {
    if (!flattened.has(name)) return [[name]];
    return Object.keys(objectOf(value)).map((inner) => [name, inner] as const);
  });
}
