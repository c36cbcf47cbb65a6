import { cleanLine } from "../../../../text/clean.ts";
import { cellsOf, cutToCells, foldAndCut, joinCells } from "../../../columns.ts";
import type { CliContext } from "../../../context.ts";
import { type Cell, type Column, formatNumber } from "./column.ts";

/** Most cells of a text that are shown, also where there is no terminal. */
const maxTextCells = 200;
/** Most characters of a text that are read; more could not fit into those cells. */
const maxTextChars = 8 * maxTextCells;

const detailIndent = "    ";

interface ShownCell {
  readonly text: string;
  readonly isNumber: boolean;
}

/**
 * Prints rows as a table, page after page. The first page decides which columns fit and how wide they are; later cells
 * are cut to that, except those that must not be cut.
 */
export class Table {
  readonly #columns: readonly Column<object>[];
  readonly #context: Pick<CliContext, "print" | "colors" | "terminal">;
  readonly #details: (row: object, below?: object) => string[];
  #widths: number[] | undefined;

  /** @param details lines to print below a row */
  constructor(
    columns: readonly Column<object>[],
    context: Pick<CliContext, "print" | "colors" | "terminal">,
    details: (row: object, below?: object) => string[] = () => [],
  ) {
    this.#columns = columns;
    this.#context = context;
    this.#details = details;
  }

  print(rows: readonly object[]): void {
    if (rows.length === 0) return;
    const { print, colors, terminal } = this.#context;
    const page = this.#columns.map((column) => pageOf(column, rows));
    const widest = page.map((column) => column.widest);
    const isFirst = this.#widths === undefined;
    this.#widths ??= fitColumns(page, widest, terminal?.columns() ?? Number.MAX_SAFE_INTEGER);
    const shown = page.slice(0, this.#widths.length);
    // Wider cells get room: without a terminal all of them, otherwise those that must not be cut.
    const widths = this.#widths.map((width, at) =>
      terminal === undefined || shown[at]?.mayCut === false ? Math.max(width, widest[at] ?? 0) : width,
    );
    this.#widths = widths;
    if (isFirst) {
      const titles = shown.map(({ title, isNumeric }, at) => aligned(title, widths[at] ?? 0, isNumeric));
      print(joinCells(titles, widths, colors.dim));
    }
    rows.forEach((row, n) => {
      const texts = shown.map(({ cells }, at) => fitted(cells[n], widths[at] ?? 0));
      print(joinCells(texts, widths));
      for (const line of this.#detailLines(row, rows[n + 1])) print(colors.dim(line));
    });
  }

  /** A row's details, indented, and folded to the width. */
  #detailLines(row: object, below: object | undefined): string[] {
    const cells = Math.min(this.#context.terminal?.columns() ?? maxTextCells, maxTextCells) - detailIndent.length;
    return this.#details(row, below).flatMap((detail) => {
      const [first = "", ...more] = foldAndCut(cutToCells(detail, 2 * maxTextCells), cells - 2);
      return [detailIndent + first, ...more.map((line) => `${detailIndent}  ${line}`)];
    });
  }

  /** Names the columns that did not fit. An empty table says so here. */
  remarks(): string[] {
    if (this.#widths === undefined) this.#context.print(this.#context.colors.dim("Nothing found."));
    const leftOut = this.#columns.slice(this.#widths?.length ?? this.#columns.length).map(({ title }) => title);
    return leftOut.length === 0 ? [] : [`No room for ${leftOut.join(", ")}; --csv and --json show everything.`];
  }
}

/** The part of a column that is on one page. A column with numbers has its title aligned to the right too. */
function pageOf(column: Column<object>, rows: readonly object[]) {
  const cells = rows.map((row, at) => shownCell(column, column.of(row, rows[at + 1])));
  const isNumeric = cells.some(({ isNumber }) => isNumber);
  const widest = Math.max(0, ...cells.map(({ text }) => cellsOf(text)));
  return { title: column.title, cells, isNumeric, widest, mayCut: !column.isWhole && !isNumeric };
}

function shownCell({ decimals }: Column<object>, value: Cell): ShownCell {
  if (typeof value === "number") return { text: formatNumber(value, decimals), isNumber: true };
  return { text: cutToCells(cleanLine((value ?? "").slice(0, maxTextChars)), maxTextCells), isNumber: false };
}

function fitted(cell: ShownCell | undefined, width: number): string {
  if (cell === undefined) return "";
  return aligned(cell.isNumber ? cell.text : cutToCells(cell.text, width), width, cell.isNumber);
}

function aligned(text: string, width: number, isRight: boolean): string {
  return isRight ? " ".repeat(Math.max(0, width - cellsOf(text))) + text : text;
}

/** What the layout needs to know about a column. */
interface ColumnShape {
  readonly title: string;
  /** Whether its cells may be cut: texts may, numbers, times and ids may not. */
  readonly mayCut: boolean;
}

/** Cells between two columns. */
export const gap = 2;
/** A column of texts is never cut to fewer cells. */
const minTextCells = 14;

/**
 * The widths of the columns that fit: as many from the left as fit with their texts cut to 14 cells, at least one; they
 * then share the remaining room.
 * @param widest cells of each column's widest value
 */
export function fitColumns(columns: readonly ColumnShape[], widest: readonly number[], maxCells: number): number[] {
  const natural = columns.map(({ title }, at) => Math.max(cellsOf(title), widest[at] ?? 0));
  const least = columns.map(({ title, mayCut }, at) => {
    const width = natural[at] ?? 0;
    return mayCut ? Math.min(width, Math.max(cellsOf(title), minTextCells)) : width;
  });
  let count = columns.length;
  while (count > 1 && total(least.slice(0, count)) > maxCells) count -= 1;
  return shrink(natural.slice(0, count), least, maxCells);
}

/** Narrows the widest columns until all fit, but none below its least width. */
function shrink(widths: number[], least: readonly number[], maxCells: number): number[] {
  const spare = (at: number): number => (widths[at] ?? 0) - (least[at] ?? 0);
  for (let over = total(widths) - maxCells; over > 0; over -= 1) {
    const able = [...widths.keys()].filter((at) => spare(at) > 0);
    const widest = able.sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0];
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, gap * Math.max(0, widths.length - 1));
}
