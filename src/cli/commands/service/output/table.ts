import { cleanLine } from "../../../../text/clean.ts";
import { localTime } from "../../../../text/time.ts";
import { countCells, cutToCells, foldAndCut, joinCells } from "../../../columns.ts";
import type { CliContext } from "../../../context.ts";

/** Maximum width of a text in cells, even without a terminal. */
const maxTextCells = 200;
/** Maximum number of characters read of a text; more cannot fit into `maxTextCells`. */
const maxTextChars = 8 * maxTextCells;

const detailIndent = "    ";

/** Function that returns the lines to print below a row of a table. `nextRow` is the next row on the page, if any. */
export type RowDetails<Row> = (row: Row, nextRow?: Row) => string[];

/** Place of a table: the lines go to `print`, and are at most `maxCells` wide; default: as wide as the values. */
interface TablePlace extends Pick<CliContext, "print" | "colors"> {
  readonly maxCells?: number | undefined;
}

/**
 * Table that is printed page by page. The first page decides which columns fit, and their widths. With a maximum width,
 * the cells of later pages are cut to these widths, except values that must not be cut.
 */
export class Table<Row extends object> {
  readonly #columns: readonly Column<Row>[];
  readonly #place: TablePlace;
  readonly #details: RowDetails<Row>;
  #widths: number[] | undefined;

  constructor(columns: readonly Column<Row>[], place: TablePlace, details: RowDetails<Row> = () => []) {
    this.#columns = columns;
    this.#place = place;
    this.#details = details;
  }

  /**
   * Prints a page.
   * @param following the first row of the next page, if it is known
   */
  print(rows: readonly Row[], following?: Row): void {
    if (rows.length === 0) return;
    const { print, colors, maxCells } = this.#place;
    const page = this.#columns.map((column) => buildPageColumn(column, rows, following));
    const isFirst = this.#widths === undefined;
    this.#widths ??= fitColumns(page, maxCells ?? Number.MAX_SAFE_INTEGER);
    const shown = page.slice(0, this.#widths.length);
    // Widen columns for wider cells: all without a maximum width, otherwise those that must not be cut.
    const widths = this.#widths.map((width, at) =>
      maxCells === undefined || shown[at]?.mayCut === false ? Math.max(width, shown[at]?.widest ?? 0) : width,
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
  #detailLines(row: Row, nextRow: Row | undefined): string[] {
    const cells = Math.min(this.#place.maxCells ?? maxTextCells, maxTextCells) - detailIndent.length;
    return this.#details(row, nextRow).flatMap((detail) => {
      const [first = "", ...more] = foldAndCut(cutToCells(detail, 2 * maxTextCells), cells - 2);
      return [detailIndent + first, ...more.map((line) => `${detailIndent}  ${line}`)];
    });
  }

  /** Returns a remark about columns that did not fit. If the table is empty, prints a note. */
  remarks(): string[] {
    if (this.#widths === undefined) this.#place.print(this.#place.colors.dim("No results."));
    const omitted = this.#columns.slice(this.#widths?.length ?? this.#columns.length).map(({ title }) => title);
    return omitted.length === 0 ? [] : [`No room for ${omitted.join(", ")}. Use --csv or --json to see everything.`];
  }
}

/** Formats a column's cells on one page. The title of a numeric column is right-aligned too. */
function buildPageColumn<Row>(column: Column<Row>, rows: readonly Row[], following: Row | undefined) {
  const cells = rows.map((row, at) => formatCell(column, column.read(row, rows[at + 1] ?? following)));
  const isNumeric = cells.some(({ isNumber }) => isNumber);
  const widest = Math.max(0, ...cells.map(({ text }) => countCells(text)));
  const title = column.isTime ? `${column.title} (${nameZone()})` : column.title;
  return { title, cells, isNumeric, widest, mayCut: !column.isWhole && !isNumeric };
}

function formatCell({ isRatio, isNumber = false }: Omit<Column<never>, "read">, value: Cell) {
  if (typeof value === "number") return { text: formatNumber(value, isRatio), isNumber: true };
  return { text: cutToCells(cleanLine((value ?? "").slice(0, maxTextChars)), maxTextCells), isNumber };
}

function fitCell(cell: ReturnType<typeof formatCell> | undefined, width: number): string {
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
  /** Width of the widest value, in cells. */
  readonly widest: number;
}

/** Number of cells between two columns. */
export const columnGap = 2;
/** Minimum width of a text column that is cut, in cells. */
const minTextCells = 14;

/**
 * Returns the widths of the columns that fit in `maxCells`. Narrows text columns to no less than 14 cells. If that is
 * not enough, leaves out columns from the right, but never the first column.
 */
export function fitColumns(columns: readonly ColumnShape[], maxCells: number): number[] {
  const natural = columns.map(({ title, widest }) => Math.max(countCells(title), widest));
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

/** Value in a table. Numbers are right-aligned, with thousands separators. */
type Cell = string | number | null | undefined;

/** Column of a table for people. */
export interface Column<Row> {
  readonly title: string;
  /**
   * Returns the column's value for a row.
   * @param nextRow the next row on the page, if any
   */
  readonly read: (row: Row, nextRow?: Row) => Cell;
  /** True for a column whose values are never cut: times, and ids that other commands take. */
  readonly isWhole?: true;
  /** True for a column of instants, which are shown in local time. */
  readonly isTime?: true;
  /** True for a column of quotients, which always have two decimals. */
  readonly isRatio?: true;
  /** True for a column of numbers that are formatted already. */
  readonly isNumber?: boolean;
}

/** Declares a column of texts or numbers. */
export function column<Row>(title: string, read: Column<Row>["read"]): Column<Row> {
  return { title, read };
}

/** Declares a column that is never cut. */
export function whole<Row>(title: string, read: Column<Row>["read"]): Column<Row> {
  return { title, read, isWhole: true };
}

/** Declares a column of quotients. */
export function ratio<Row>(title: string, read: Column<Row>["read"]): Column<Row> {
  return { title, read, isRatio: true };
}

/** Declares a column of instants in local time, shown to the minute or, with a format of its own, in another way. */
export function time<Row>(title: string, read: Column<Row>["read"], format = formatMinute): Column<Row> {
  return { ...whole<Row>(title, (row) => format(read(row))), isTime: true };
}

/** Names the local time zone, such as `EST`. */
function nameZone(): string {
  const parts = new Intl.DateTimeFormat("en-US", { timeZoneName: "short" }).formatToParts();
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "local time";
}

/** Formats an instant to the minute. Other texts stay unchanged. */
function formatMinute(at: Cell): string {
  const shown = localTime(at ?? "");
  return /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(shown) ? shown.slice(0, -":00".length) : shown;
}

/** Returns the name of the item with the greatest count, and its share in percent; empty if the counts add up to 0. */
export function formatLargest<Name extends string, Count extends string>(
  items: readonly (Readonly<Record<Name, string>> & Readonly<Record<Count, number>>)[],
  name: Name,
  count: Count,
): string {
  const sum = items.reduce((total, item) => total + item[count], 0);
  const [first] = items.toSorted((a, b) => b[count] - a[count]);
  return first === undefined || sum === 0 ? "" : `${first[name]} ${Math.round((first[count] / sum) * 100)}%`;
}

const integers = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const fractions = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Formats a number as `1,234,567`, a fraction or a ratio with two decimals. */
export function formatNumber(value: number, isRatio = !Number.isInteger(value)): string {
  return (isRatio ? fractions : integers).format(value);
}
