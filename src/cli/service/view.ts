import { cleanLine } from "../../core/clean.ts";
import type { Endpoint } from "../../service/endpoint.ts";
import type { CliContext } from "../context.ts";
import { type Conceal, concealerOf } from "../commands/service/output/mask-settings.ts";
import { csvHeader, csvRow, furtherPaths, type Path } from "../commands/service/output/csv.ts";
import { csvColumns } from "./csv-columns.ts";
import { showDetail } from "../commands/service/output/detail.ts";
import type { Options } from "../commands/service/request/request-arguments.ts";
import { jsonLine } from "../commands/service/output/json.ts";
import { Table } from "../commands/service/output/table.ts";
import { tableOf } from "../commands/service/output/tables.ts";

/** How an operation's rows are shown; a single object is one row. */
export interface View {
  readonly show: (rows: readonly object[]) => void;
  /** What there is to say when all is shown. */
  remarks(): string[];
}

/** The view that the options ask for: JSON, CSV, or a form for people. */
export function viewOf(endpoint: Endpoint, { json, csv, groupBy }: Options, context: CliContext): View {
  const conceal = concealerOf(endpoint);
  if (json) return jsonView(conceal, context);
  if (csv) return csvView(csvColumns(endpoint, groupBy !== undefined), conceal, context);
  const columns = tableOf(endpoint.name, groupBy);
  return columns ? tableView(new Table(columns, context), context) : detailView(context);
}

function jsonView(conceal: Conceal, { print }: CliContext): View {
  return { show: (rows) => rows.forEach((row) => void print(jsonLine(conceal(row)))), remarks: () => [] };
}

/** The header is printed with the first page; a field that comes up later has no column. */
function csvView(known: readonly Path[], conceal: Conceal, { print }: CliContext): View {
  let paths: readonly Path[] | undefined;
  const late = new Set<string>();
  return {
    show(rows) {
      const further = furtherPaths(paths ?? known, rows);
      if (paths === undefined) {
        paths = [...known, ...further];
        print(`${csvHeader(paths)}\r`);
      } else for (const path of further) late.add(cleanLine(path.join(".")));
      for (const row of rows) print(`${csvRow(paths, conceal(row))}\r`);
    },
    remarks: () =>
      late.size === 0
        ? []
        : [`Fields that came up after the header, left out: ${[...late].join(", ")}; --json has them.`],
  };
}

function tableView(table: Table, { colors, print }: CliContext): View {
  let isEmpty = true;
  return {
    show(rows) {
      if (rows.length > 0) table.show(rows);
      isEmpty &&= rows.length === 0;
    },
    remarks() {
      if (isEmpty) print(colors.dim("Nothing there."));
      const { leftOut } = table;
      return leftOut.length === 0 ? [] : [`No room for ${leftOut.join(", ")}; --csv and --json have everything.`];
    },
  };
}

function detailView(context: CliContext): View {
  return { show: (rows) => rows.forEach((row) => void showDetail(row, context)), remarks: () => [] };
}
