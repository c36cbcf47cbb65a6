import { cleanLine } from "../../../../core/clean.ts";
import { cellsOf, cutToCells, joinCells } from "../../../columns.ts";
import type { CliContext } from "../../../context.ts";
import type { Cell, Column } from "./column.ts";
import { formatNumber } from "../../../service/format-number.ts";
import { fitColumns } from "../../../service/layout.ts";

/** So much of a text is shown at most, however wide the terminal is, and where there is none. */
const mostTextCells = 200;
/** Nothing behind it can be shown; cleaning a longer one would only take time. */
const mostTextChars = 8 * mostTextCells;

interface ShownCell {
  readonly text: string;
  readonly isNumber: boolean;
}

/**
 * Rows as a table, page after page. The first page decides which columns fit and how wide they are; what comes later is
 * cut to that, but for what must not be cut.
 */
export class Table {
  readonly #columns: readonly Column<object>[];
  readonly #context: Pick<CliContext, "print" | "colors" | "terminal">;
  #widths: number[] | undefined;

  constructor(columns: readonly Column<object>[], context: Pick<CliContext, "print" | "colors" | "terminal">) {
    this.#columns = columns;
    this.#context = context;
  }

  /** Titles of the columns for which there is no room. */
  get leftOut(): string[] {
    return this.#columns.slice(this.#widths?.length ?? this.#columns.length).map(({ title }) => title);
  }

  show(rows: readonly object[]): void {
    const { print, colors, terminal } = this.#context;
    const cells = rows.map((row, at) => this.#columns.map((column) => shownCell(column, column.of(row, rows[at + 1]))));
    const widest = this.#columns.map((_, at) => Math.max(0, ...cells.map((row) => cellsOf(row[at]?.text ?? ""))));
    const isFirst = this.#widths === undefined;
    this.#widths ??= fitColumns(
      this.#columns.map(shapeOf(cells)),
      widest,
      terminal?.columns() ?? Number.MAX_SAFE_INTEGER,
    );
    this.#widen(widest, cells);
    const widths = this.#widths;
    if (isFirst) {
      const heads = widths.map((width, at) => aligned(this.#columns[at]?.title ?? "", width, isNumeric(cells, at)));
      print(joinCells(heads, widths, colors.dim));
    }
    for (const row of cells)
      print(
        joinCells(
          widths.map((width, at) => fitted(row[at], width)),
          widths,
        ),
      );
  }

  /** Without a terminal there is room for everything; in one only what must not be cut takes more. */
  #widen(widest: readonly number[], cells: readonly (readonly ShownCell[])[]): void {
    const isFree = this.#context.terminal === undefined;
    this.#widths?.forEach((width, at) => {
      const isFixed = isFree || this.#columns[at]?.isWhole === true || isNumeric(cells, at);
      if (this.#widths && isFixed) this.#widths[at] = Math.max(width, widest[at] ?? 0);
    });
  }
}

function shapeOf(cells: readonly (readonly ShownCell[])[]) {
  return ({ title, isWhole }: Column<object>, at: number) => ({ title, mayCut: !isWhole && !isNumeric(cells, at) });
}

/** Also a column without a value has its title at the left. */
function isNumeric(cells: readonly (readonly ShownCell[])[], at: number): boolean {
  return cells.some((row) => row[at]?.isNumber === true);
}

function shownCell({ decimals }: Column<object>, value: Cell): ShownCell {
  if (typeof value === "number") return { text: formatNumber(value, decimals), isNumber: true };
  return { text: cutToCells(cleanLine((value ?? "").slice(0, mostTextChars)), mostTextCells), isNumber: false };
}

function fitted(cell: ShownCell | undefined, width: number): string {
  if (cell === undefined) return "";
  return aligned(cell.isNumber ? cell.text : cutToCells(cell.text, width), width, cell.isNumber);
}

function aligned(text: string, width: number, isRight: boolean): string {
  return isRight ? " ".repeat(Math.max(0, width - cellsOf(text))) + text : text;
}
