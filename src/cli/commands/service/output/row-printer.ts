import type * as z from "zod";
import { UsageError } from "../../../../core/errors.ts";
import { schemaAt, unwrapSchema } from "../../../../core/unwrap-schema.ts";
import { listSettingChanges } from "../../../../report/control-changes.ts";
import type { Endpoint } from "../../../../service/endpoint.ts";
import { maskCredentials, maskSecrets } from "../../../../service/mask-settings.ts";
import { controlHistory } from "../../../../service/resources/enterprise-controls.ts";
import { readinessReports } from "../../../../service/resources/readiness.ts";
import type { ControlChange, ReadinessReport } from "../../../../service/schemas/objects.ts";
import { unixMs, wholeUnixMs } from "../../../../service/schemas/open.ts";
import { clean, cleanLine } from "../../../../text/clean.ts";
import { localTime } from "../../../../text/time.ts";
import { alignRows } from "../../../columns.ts";
import type { CliContext } from "../../../context.ts";
import { jsonLine } from "../../../output/json-line.ts";
import type { Options } from "../request/request-arguments.ts";
import {
  csvColumns,
  csvLine,
  csvRow,
  extraPaths,
  findRowSchema,
  longColumns,
  longRows,
  nestedFields,
  type Path,
} from "./csv.ts";
import { formatNumber, type RowDetails, Table } from "./table.ts";
import { findTable } from "./tables.ts";

/** Printer of an operation's rows. A single object is one row. */
export interface RowPrinter {
  /**
   * Prints a page of rows.
   * @param following the first row of the next page, if it is known
   */
  print(rows: readonly object[], following?: object): void;
  /** True if a row is compared with the row after it. */
  readonly comparesRows?: boolean;
  /** Returns remarks for standard error. Call this after the last page. */
  remarks(): string[];
}

/** Functions that mask the secrets in an operation's rows: keys in the settings, and credentials of repositories. */
const masks: Readonly<Record<string, (row: object) => object>> = {
  [controlHistory.name]: (row) => maskSecrets(row) as object,
  [readinessReports.name]: (row) => ({ ...row, repoUrl: maskCredentials((row as ReadinessReport).repoUrl) }),
};

/**
 * Creates the printer that the options ask for: JSON, CSV, or a table or list for people.
 * @throws {UsageError} for a column or list that the rows do not have
 */
export function createRowPrinter(endpoint: Endpoint, options: Options, context: CliContext): RowPrinter {
  const { json, csv, groupBy } = options;
  const mask = masks[endpoint.name] ?? ((row: object) => row);
  const schema = findRowSchema(endpoint, groupBy !== undefined);
  const prepare = (row: object): object => withInstants(schema, mask(row));
  if (json) return eachRow((row) => context.print(jsonLine(prepare(row))));
  if (csv) return csvPrinter(schema, options, prepare, context);
  const columns = findTable(endpoint.name, groupBy);
  if (columns === undefined) return eachRow((row) => printDetail(withInstants(schema, row, localTime), context));
  const shown = chosen(columns, ({ title }) => title, options);
  const table = new Table(
    shown,
    { ...context, maxCells: context.terminal?.columns() },
    rowDetails[endpoint.name] as RowDetails<object>,
  );
  return {
    print: (rows, following) => table.print(rows, following),
    remarks: () => table.remarks(),
    comparesRows: endpoint.name === controlHistory.name,
  };
}

function eachRow(printRow: (row: object) => void): RowPrinter {
  return { print: (rows) => rows.forEach((row) => void printRow(row)), remarks: () => [] };
}

/** Selects the columns that `--columns` names, in that order. Without `--columns`, selects all. */
function chosen<Column>(
  all: readonly Column[],
  readName: (column: Column) => string,
  { columns }: Options,
): readonly Column[] {
  if (typeof columns !== "string") return all;
  const byName = new Map(all.map((column) => [readName(column).toLowerCase(), column]));
  return columns.split(",").map((text) => {
    const column = byName.get(text.trim().toLowerCase());
    if (column === undefined) throw unknownName("--columns", text.trim(), all.map(readName));
    return column;
  });
}

function unknownName(option: string, name: string, known: readonly string[]): UsageError {
  const hint = known.length === 0 ? "These rows have no lists." : `Known names: ${known.join(", ")}.`;
  return new UsageError(`${option}: unknown name ${JSON.stringify(cleanLine(name))}`, hint);
}

const joinPath = (path: Path): string => path.join(".");

/** Creates the CSV printer. Its columns are those of the first page; fields that only later pages have are left out. */
function csvPrinter(
  schema: z.ZodObject,
  options: Options,
  prepare: (row: object) => object,
  { print }: CliContext,
): RowPrinter {
  const each = options["each"] as string | undefined;
  const lists = nestedFields(schema);
  if (each !== undefined && !lists.includes(each)) throw unknownName("--each", each, lists);
  const all = each === undefined ? csvColumns(schema) : longColumns(schema, each);
  const columns = chosen(all, joinPath, options);
  const isOpen = options["columns"] === undefined && each === undefined;
  const expand = (row: object): object[] => (each === undefined ? [row] : longRows(row, each));
  let paths: readonly Path[] | undefined;
  const lateFields = new Set<string>();
  const tooLong = new Set<string>();
  return {
    print(rows) {
      const extra = isOpen ? extraPaths(paths ?? columns, rows) : [];
      if (paths === undefined) {
        paths = [...columns, ...extra];
        print(`${csvLine(paths.map(joinPath))}\r`);
      } else for (const path of extra) lateFields.add(cleanLine(joinPath(path)));
      const own = paths;
      for (const row of rows.flatMap((item) => expand(prepare(item)))) {
        print(`${csvRow(own, row, (path) => tooLong.add(cleanLine(joinPath(path))))}\r`);
      }
    },
    remarks: () => [
      ...(lateFields.size === 0
        ? []
        : [
            `Left out because they first appeared after the header: ${[...lateFields].join(", ")}. Use --json to see them.`,
          ]),
      ...[...tooLong].map((name) => tooLongRemark(name, lists)),
    ],
  };
}

function tooLongRemark(name: string, lists: readonly string[]): string {
  const how = lists.includes(name) ? `use --each ${name} to print a line for each item` : "use --json to see it";
  return `Some values of ${name} are empty because they are too long for a cell; ${how}.`;
}

type Entry = readonly [name: string, value: string];

/** Prints an object for people: a line for each field, also of inner objects, and a line for each object in a list. */
export function printDetail(value: object, { print, colors }: Pick<CliContext, "print" | "colors">): void {
  const entries = listEntries(value, "");
  const rows = entries.flatMap(([name, text], at) => {
    const shown = name === entries[at - 1]?.[0] ? "" : name;
    return text.split("\n").map((line, n) => [n === 0 ? shown : "", line]);
  });
  for (const line of alignRows(rows, (cell, column) => (column === 0 ? colors.dim(cell) : cell))) print(line);
}

function listEntries(value: object, prefix: string): Entry[] {
  return Object.entries(value).flatMap(([key, inner]) => fieldEntries(inner, prefix + cleanLine(key)));
}

function fieldEntries(value: unknown, name: string): Entry[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== "object")
    return [[name, typeof value === "number" ? formatNumber(value) : clean(String(value))]];
  if (!Array.isArray(value)) return listEntries(value, `${name}.`);
  if (value.some((item) => typeof item === "object")) return value.map((item) => [name, inline(item)]);
  return value.length === 0 ? [] : [[name, value.map(String).map(cleanLine).join(", ")]];
}

/** Formats an item of a list on one line. For a part of a message, returns the part's text with its line breaks. */
function inline(item: unknown): string {
  if (typeof item !== "object" || item === null) return cleanLine(String(item));
  const { text } = item as { text?: unknown };
  if (typeof text === "string") return clean(text);
  return listEntries(item, "")
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name} ${cleanLine(value)}`)
    .join(", ");
}

/** Greatest distance of a `Date` from 1970, milliseconds. */
const maxDateMs = 8.64e15;

/**
 * Replaces the instants in a reply, as its schema names them, by texts. Everything else stays unchanged: fields that the
 * schema does not know may be called like an instant and hold any number.
 * @param format default: ISO 8601
 */
export function withInstants<T>(schema: z.ZodType, value: T, format = (ms: number) => new Date(ms).toISOString()): T {
  const convert = (inner: unknown, type: z.ZodType): unknown => {
    const plain = unwrapSchema(type);
    if (plain === unixMs || plain === wholeUnixMs)
      return Math.abs(Number(inner)) <= maxDateMs ? format(Number(inner)) : inner;
    if (Array.isArray(inner)) return inner.map((item, index) => convert(item, schemaAt(plain, index)));
    if (typeof inner !== "object" || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, field]) => [key, convert(field, schemaAt(plain, key))]));
  };
  return convert(value, schema) as T;
}

/** Functions for the lines below a row, by operation. */
export const rowDetails: Readonly<Record<string, RowDetails<never>>> = {
  [readinessReports.name]: failingCriteria,
  [controlHistory.name]: changes,
};

/** Lists criteria that some sub-applications fail, with reasons. The criterion with the lowest pass rate is first. */
function failingCriteria({ report }: ReadinessReport): string[] {
  const failing = Object.entries(report).filter(([, { numerator, denominator }]) => numerator < denominator);
  failing.sort(([, a], [, b]) => a.numerator / a.denominator - b.numerator / b.denominator);
  return failing.map(([id, { numerator, denominator, rationale }]) =>
    cleanLine(`${id} ${numerator} of ${denominator}: ${rationale}`),
  );
}

/** Lists the changes from the previous revision, with old and new values. Secrets are masked. */
function changes({ settings }: ControlChange, nextRow?: ControlChange): string[] {
  return nextRow === undefined ? [] : listSettingChanges(nextRow.settings, settings);
}
