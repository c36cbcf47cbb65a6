import { cleanLine } from "../../../../core/clean.ts";
import type { Endpoint } from "../../../../service/endpoint.ts";
import { controlHistory } from "../../../../service/resources/enterprise-controls.ts";
import type { CliContext } from "../../../context.ts";
import type { Options } from "../request/request-arguments.ts";
import { csvColumns, csvHeader, csvRow, extraPaths, type Path } from "./csv.ts";
import { printDetail } from "./detail.ts";
import { jsonLine } from "./json.ts";
import { maskSecrets } from "./mask-settings.ts";
import { detailsOf } from "./row-details.ts";
import { Table } from "./table.ts";
import { tableOf } from "./tables.ts";

/** Prints an operation's rows in one form; a single object is one row. */
export interface RowPrinter {
  /** Called once a page. */
  print(rows: readonly object[]): void;
  /** Remarks for standard error, once everything is printed. */
  remarks(): string[];
}

/** The printer for the form that the options choose: JSON, CSV, or a table or list for people. */
export function rowPrinterOf(endpoint: Endpoint, { json, csv, groupBy }: Options, context: CliContext): RowPrinter {
  // Only the history of the organization's settings is known to contain secrets.
  const mask = (row: object): object => (endpoint.name === controlHistory.name ? (maskSecrets(row) as object) : row);
  if (json) return eachRow((row) => context.print(jsonLine(mask(row))));
  if (csv) return csvPrinter(csvColumns(endpoint, groupBy !== undefined), mask, context);
  const columns = tableOf(endpoint.name, groupBy);
  return columns ? new Table(columns, context, detailsOf(endpoint.name)) : eachRow((row) => printDetail(row, context));
}

function eachRow(printRow: (row: object) => void): RowPrinter {
  return { print: (rows) => rows.forEach((row) => void printRow(row)), remarks: () => [] };
}

/** The header is printed with the first page, so a field that first appears on a later page has no column. */
function csvPrinter(known: readonly Path[], mask: (row: object) => object, { print }: CliContext): RowPrinter {
  let paths: readonly Path[] | undefined;
  const late = new Set<string>();
  return {
    print(rows) {
      const extra = extraPaths(paths ?? known, rows);
      if (paths === undefined) {
        paths = [...known, ...extra];
        print(`${csvHeader(paths)}\r`);
      } else for (const path of extra) late.add(cleanLine(path.join(".")));
      for (const row of rows) print(`${csvRow(paths, mask(row))}\r`);
    },
    remarks() {
      if (late.size === 0) return [];
      return [`Left out, because they first appeared after the header: ${[...late].join(", ")}; --json shows them.`];
    },
  };
}
