import * as z from "zod";
import { at, isObject, toObject } from "../../../../core/json-value.ts";
import { unwrapSchema } from "../../../../core/unwrap-schema.ts";
import type { Endpoint } from "../../../../service/endpoint.ts";
import { clean } from "../../../../text/clean.ts";
import { jsonLine } from "../../../output/json-line.ts";

/** Path of a column's value in a row: one field name, or two for a field of an object. */
export type Path = readonly [string] | readonly [string, string];

/**
 * Matches the start of texts that a spreadsheet would run as a formula. A leading apostrophe prevents that.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

/**
 * Formats a line of CSV without its line end, with quotes as in RFC 4180. Removes control characters except tabs and
 * line feeds, and puts an apostrophe before formulas.
 */
export function csvLine(cells: readonly unknown[]): string {
  const texts = cells.map(csvText);
  return texts.map((text) => (/[",\n\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(",");
}

function csvText(cell: unknown): string {
  if (cell === undefined || cell === null) return "";
  if (typeof cell === "number" || typeof cell === "boolean") return String(cell);
  const text = clean(typeof cell === "string" ? cell : jsonLine(cell));
  return formula.test(text) ? `'${text}` : text;
}

/** Maximum length of a nested value in a cell, in characters. Spreadsheets cut longer values. */
const maxNestedChars = 32_767;

/**
 * Formats a row as a line of CSV. Values nested deeper than the columns are JSON.
 * @param onTooLong called with the column of a nested value that is too long for a cell; the cell stays empty
 */
export function csvRow(paths: readonly Path[], row: object, onTooLong: (path: Path) => void = () => {}): string {
  const cells = paths.map((path) => {
    const value = at(row, ...path);
    const isTooLong = typeof value === "object" && value !== null && jsonLine(value).length > maxNestedChars;
    if (isTooLong) onTooLong(path);
    return isTooLong ? undefined : value;
  });
  return csvLine(cells);
}

/** Lists columns for fields of the rows that are not in `paths`, in order of appearance. */
export function extraPaths(paths: readonly Path[], rows: readonly object[]): Path[] {
  const known = new Set(paths.map((path) => path.join("\0")));
  const flattened = new Set(paths.flatMap(([name, inner]) => (inner === undefined ? [] : [name])));
  const extra: Path[] = [];
  for (const path of rows.flatMap((row) => listPaths(row, flattened))) {
    const key = path.join("\0");
    if (!known.has(key)) extra.push(path);
    known.add(key);
  }
  return extra;
}

function listPaths(row: object, flattened: ReadonlySet<string>): Path[] {
  return Object.entries(row).flatMap(([name, value]): Path[] => {
    if (!flattened.has(name)) return [[name]];
    return Object.keys(toObject(value)).map((inner) => [name, inner] as const);
  });
}

/**
 * Lists the columns of rows with a schema. An object of plain values has a column for each value; a deeper value has a
 * single column.
 */
export function csvColumns({ shape }: z.ZodObject): Path[] {
  return Object.entries(shape).flatMap(([name, schema]): Path[] => {
    const inner = unwrapSchema(schema as z.ZodType);
    if (!(inner instanceof z.ZodObject) || !Object.values(inner.shape).every(isScalar)) return [[name]];
    return Object.keys(inner.shape).map((key) => [name, key] as const);
  });
}

/** Lists the fields of rows that hold several items: lists and maps. */
export function nestedFields({ shape }: z.ZodObject): string[] {
  return Object.keys(shape).filter((name) => {
    const inner = unwrapSchema(shape[name] as z.ZodType);
    return inner instanceof z.ZodArray || inner instanceof z.ZodRecord;
  });
}

/**
 * Lists the columns for `--each`, which prints a line for each item of a nested field: first the row's plain values,
 * then the item's values.
 */
export function longColumns(rowSchema: z.ZodObject, field: string): Path[] {
  const lists = nestedFields(rowSchema);
  const plain = csvColumns(rowSchema).filter(([name]) => !lists.includes(name));
  const nested = unwrapSchema(rowSchema.shape[field] as z.ZodType);
  const item = unwrapSchema(
    (nested instanceof z.ZodRecord ? nested.valueType : (nested as z.ZodArray).element) as z.ZodType,
  );
  const names = item instanceof z.ZodObject ? Object.keys(item.shape) : ["value"];
  return [...plain, ...(nested instanceof z.ZodRecord ? ["key", ...names] : names).map((name): Path => [field, name])];
}

/** Repeats a row for each item of a nested field. An item of a map gets its name as `key`. */
export function longRows(row: object, field: string): object[] {
  const nested = at(row, field);
  const withFields = (item: unknown): object => (isObject(item) ? item : { value: item });
  const items = Array.isArray(nested)
    ? nested.map(withFields)
    : Object.entries(toObject(nested)).map(([key, item]) => ({ key, ...withFields(item) }));
  return items.map((item) => ({ ...row, [field]: item }));
}

/** Finds the schema of an operation's rows. */
export function findRowSchema({ reply, groupedReply = reply, items }: Endpoint, isGrouped: boolean): z.ZodObject {
  const object = (isGrouped ? groupedReply : reply) as z.ZodObject;
  return items === undefined ? object : ((object.shape[items] as z.ZodArray).element as z.ZodObject);
}

function isScalar(schema: unknown): boolean {
  const inner = unwrapSchema(schema as z.ZodType);
  return ![z.ZodObject, z.ZodArray, z.ZodRecord, z.ZodUnknown].some((kind) => inner instanceof kind);
}
