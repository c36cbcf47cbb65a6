import { cleanLine } from "../../../../text/clean.ts";
import { countCells, cutToCells, foldAndCut, joinCells } from "../../../columns.ts";
import type { CliContext } from "../../../context.ts";
import { type Cell, type Column, formatNumber, nameZone } from "./column.ts";

/** Maximum width of a text in cells, even without a terminal. */
const maxTextCells = 200;
/** Maximum number of characters read of a text; more cannot fit into `maxTextCells`. */
const maxTextChars = 8 * maxTextCells;

const detailIndent = "    ";

interface ShownCell {
  readonly text: string;
  readonly isNumber: boolean;
}

/**
 * Table that is printed page by page. The first page decides which columns fit, and their widths. At a terminal, the
 * cells of later pages are cut to these widths, except values that must not be cut.
 */
export class Table {
  readonly #columns: readonly Column<object>[];
  readonly #context: Pick<CliContext, "print" | "colors" | "terminal">;
  readonly #details: (row: object, nextRow?: object) => string[];
  #widths: number[] | undefined;

  /**
   * Creates an empty table.
   * @param details returns the lines to print below a row
   */
  constructor(
    columns: readonly Column<object>[],
    context: Pick<CliContext, "print" | "colors" | "terminal">,
    details: (row: object, nextRow?: object) => string[] = () => [],
  ) {
    this.#columns = columns;
    this.#context = context;
    this.#details = details;
  }

  /**
   * Prints a page.
   * @param following the first row of the next page, if it is known
   */
  print(rows: readonly object[], following?: object): void {
    if (rows.length === 0) return;
    const { print, colors, terminal } = this.#context;
    const page = this.#columns.map((column) => buildPageColumn(column, rows, following));
    const widest = page.map((column) => column.widest);
    const isFirst = this.#widths === undefined;
    this.#widths ??= fitColumns(page, widest, terminal?.columns() ?? Number.MAX_SAFE_INTEGER);
    const shown = page.slice(0, this.#widths.length);
    // Widen columns for wider cells: all without a terminal, otherwise those that must not be cut.
    const widths = this.#widths.map((width, at) =>
      terminal === undefined || shown[at]?.mayCut === false ? Math.max(width, widest[at] ?? 0) : width,
    );
    this.#widths = widths;
    if (isFirst) {
      const titles = shown.map(({ title, isNumeric }, at) => alignText(title, widths[at] ?? 0, isNumeric));
      print(joinCells(titles, widths, colors.dim));
    }
    rows.forEach((row, n) => {
      const texts = shown.map(({ cells }, at) => fitCell(cells[n], widths[at] ?? 0));
      print(joinCells(texts, widths));
      for (const line of this.#detailLines(row, rows[n + 1] ?? following)) print(colors.dim(line));
    });
  }

  /** Formats a row's details, indented and folded to the width. */
  #detailLines(row: object, nextRow: object | undefined): string[] {
    const cells = Math.min(this.#context.terminal?.columns() ?? maxTextCells, maxTextCells) - detailIndent.length;
    return this.#details(row, nextRow).flatMap((detail) => {
      const [first = "", ...more] = foldAndCut(cutToCells(detail, 2 * maxTextCells), cells - 2);
      return [detailIndent + first, ...more.map((line) => `${detailIndent}  ${line}`)];
    });
  }

  /** Returns a remark about columns that did not fit. If the table is empty, prints a note. */
  remarks(): string[] {
    if (this.#widths === undefined) this.#context.print(this.#context.colors.dim("No results."));
    const omitted = this.#columns.slice(this.#widths?.length ?? this.#columns.length).map(({ title }) => title);
    return omitted.length === 0 ? [] : [`No room for ${omitted.join(", ")}. Use --csv or --json to see everything.`];
  }
}

/** Formats a column's cells on one page. The title of a numeric column is right-aligned too. */
function buildPageColumn(column: Column<object>, rows: readonly object[], following: object | undefined) {
  const cells = rows.map((row, at) => formatCell(column, column.read(row, rows[at + 1] ?? following)));
  const isNumeric = cells.some(({ isNumber }) => isNumber);
  const widest = Math.max(0, ...cells.map(({ text }) => countCells(text)));
  const title = column.isTime ? `${column.title} (${nameZone()})` : column.title;
  return { title, cells, isNumeric, widest, mayCut: !column.isWhole && !isNumeric };
}

function formatCell({ decimals }: Column<object>, value: Cell): ShownCell {
  if (typeof value === "number") return { text: formatNumber(value, decimals), isNumber: true };
  return { text: cutToCells(cleanLine((value ?? "").slice(0, maxTextChars)), maxTextCells), isNumber: false };
}

function fitCell(cell: ShownCell | undefined, width: number): string {
  if (cell === undefined) return "";
  return alignText(cell.isNumber ? cell.text : cutToCells(cell.text, width), width, cell.isNumber);
}

function alignText(text: string, width: number, isRight: boolean): string {
  return isRight ? " ".repeat(Math.max(0, width - countCells(text))) + text : text;
}

/** Facts about a column that the layout needs. */
interface ColumnShape {
  readonly title: string;
  /** True if values may be cut. Texts may; numbers, times and ids may not. */
  readonly mayCut: boolean;
}

/** Number of cells between two columns. */
export const columnGap = 2;
/** Minimum width of a text column that is cut, in cells. */
const minTextCells = 14;

/**
 * Returns the widths of the columns that fit in `maxCells`. Narrows text columns to no less than 14 cells. If that is
 * not enough, leaves out columns from the right, but never the first column.
 * @param widest width of each column's widest value
 */
export function fitColumns(columns: readonly ColumnShape[], widest: readonly number[], maxCells: number): number[] {
  const natural = columns.map(({ title }, at) => Math.max(countCells(title), widest[at] ?? 0));
  const least = columns.map(({ title, mayCut }, at) => {
    const width = natural[at] ?? 0;
    return mayCut ? Math.min(width, Math.max(countCells(title), minTextCells)) : width;
  });
  let count = columns.length;
  while (count > 1 && sumWidths(least.slice(0, count)) > maxCells) count -= 1;
  return shrink(natural.slice(0, count), least, maxCells);
}

/** Narrows the widest columns until all columns fit, but not below the columns' minimum widths. */
function shrink(widths: number[], least: readonly number[], maxCells: number): number[] {
  const spare = (at: number): number => (widths[at] ?? 0) - (least[at] ?? 0);
  for (let excess = sumWidths(widths) - maxCells; excess > 0; excess -= 1) {
    const able = [...widths.keys()].filter((at) => spare(at) > 0);
    const widest = able.sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0];
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function sumWidths(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, columnGap * Math.max(0, widths.length - 1));
}
