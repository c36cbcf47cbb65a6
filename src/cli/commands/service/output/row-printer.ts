import { UsageError } from "../../../../core/errors.ts";
import type { Endpoint } from "../../../../service/endpoint.ts";
import { maskCredentials, maskSecrets } from "../../../../service/mask-settings.ts";
import { controlHistory } from "../../../../service/resources/enterprise-controls.ts";
import { readinessReports } from "../../../../service/resources/readiness.ts";
import type { ReadinessReport } from "../../../../service/schemas/readiness-report.ts";
import { cleanLine } from "../../../../text/clean.ts";
import { localTime } from "../../../../text/time.ts";
import type { CliContext } from "../../../context.ts";
import { jsonLine } from "../../../output/json-line.ts";
import type { Options } from "../request/request-arguments.ts";
import {
  csvColumns,
  csvHeader,
  csvRow,
  extraPaths,
  findRowSchema,
  longColumns,
  longRows,
  nestedFields,
  type Path,
} from "./csv.ts";
import { printDetail } from "./detail.ts";
import { withInstants } from "./instants.ts";
import { findDetails } from "./row-details.ts";
import { Table } from "./table.ts";
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
  if (csv) return csvPrinter(buildCsvShape(endpoint, options), prepare, context);
  const columns = findTable(endpoint.name, groupBy);
  if (columns === undefined) return eachRow((row) => printDetail(withInstants(schema, row, localTime), context));
  const shown = chosen(columns, ({ title }) => title, options);
  const table = new Table(shown, context, findDetails(endpoint.name));
  return {
    print: (rows, following) => table.print(rows, following),
    remarks: () => table.remarks(),
    comparesRows: endpoint.name === controlHistory.name,
  };
}

function eachRow(printRow: (row: object) => void): RowPrinter {
  return { print: (rows) => rows.forEach((row) => void printRow(row)), remarks: () => [] };
}

/** Rules for converting rows to lines of CSV. */
interface CsvShape {
  readonly columns: readonly Path[];
  /** True if fields that are not in `columns` get columns too. */
  readonly isOpen: boolean;
  /** Returns the rows to print for a row from the service. */
  readonly expand: (row: object) => object[];
  /** Names that `--each` accepts. */
  readonly lists: readonly string[];
}

function buildCsvShape(endpoint: Endpoint, options: Options): CsvShape {
  const isGrouped = options["groupBy"] !== undefined;
  const lists = nestedFields(endpoint, isGrouped);
  const { each } = options;
  if (each !== undefined && !lists.includes(String(each))) throw unknownName("--each", String(each), lists);
  const all = typeof each === "string" ? longColumns(endpoint, isGrouped, each) : csvColumns(endpoint, isGrouped);
  const columns = chosen(all, (path) => path.join("."), options);
  const isOpen = options["columns"] === undefined && each === undefined;
  return { columns, isOpen, lists, expand: (row) => (typeof each === "string" ? longRows(row, each) : [row]) };
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

/** Creates the CSV printer. Its columns are those of the first page; fields that only later pages have are left out. */
function csvPrinter(shape: CsvShape, prepare: (row: object) => object, { print }: CliContext): RowPrinter {
  const { columns, isOpen, expand, lists } = shape;
  let paths: readonly Path[] | undefined;
  const lateFields = new Set<string>();
  const tooLong = new Set<string>();
  return {
    print(rows) {
      const extra = isOpen ? extraPaths(paths ?? columns, rows) : [];
      if (paths === undefined) {
        paths = [...columns, ...extra];
        print(`${csvHeader(paths)}\r`);
      } else for (const path of extra) lateFields.add(cleanLine(path.join(".")));
      const own = paths;
      for (const row of rows.flatMap((item) => expand(prepare(item)))) {
        print(`${csvRow(own, row, (path) => tooLong.add(cleanLine(path.join("."))))}\r`);
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
